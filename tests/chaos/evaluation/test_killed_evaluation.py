"""An evaluation that is killed between two cases: the same command goes on, and at once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.unit.evaluation.board.boards import board_database

EVALUATION = """
import asyncio, os, signal, sys
from pathlib import Path
from hammerstone.evaluation.board import runner
from tests.unit.evaluation.board.boards import board_database, counting, measure

runner.BATCH = 1  # every case is written at once, not those of two seconds together
folder, dies = Path(sys.argv[1]), sys.argv[2] == "dies"

class Noted(list):
    def append(self, case):
        with open(folder / "done", "a") as file:
            file.write(case + "\\n")
        if dies and case == "c3":
            os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with board_database(folder) as (db, settings):
        run, records = await measure(db, settings, counting("sums", Noted()))
        print(run.id, records["sums"].metrics[0].value)

asyncio.run(main())
"""


def evaluate(folder: Path, how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", EVALUATION, str(folder), how],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


async def test_a_killed_evaluation_goes_on_at_its_case(tmp_path: Path):
    assert evaluate(tmp_path, "dies").returncode == -signal.SIGKILL
    async with board_database(tmp_path) as (db, _):
        (broken,) = await db.evaluations.recent()
        assert broken.finished_at is None

    again = evaluate(tmp_path, "lives")

    assert again.returncode == 0, again.stderr
    assert again.stdout.split() == [broken.id, "1.0"], "it began another evaluation"
    assert (tmp_path / "done").read_text().split() == ["c0", "c1", "c2", "c3", "c3", "c4"]
