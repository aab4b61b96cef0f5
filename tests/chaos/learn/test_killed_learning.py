"""A turn of learning and a round of evolution whose process is killed: the next one takes over at
once, and no model is paid for a reply twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from hammerstone.app.learning.jobs.job_runner import KIND
from hammerstone.core.chat import Prompt
from hammerstone.core.job_runs import JobRunState
from hammerstone.models.fakes.scripted import Line
from tests.integration.durable.test_paid_once import asking_job
from tests.integration.engine import scripted_engine, services_of
from tests.integration.evolution.evolving import answering, evolving, times_suite

DYING = """
import asyncio, sys
from pathlib import Path
from tests.chaos.learn.test_killed_learning import evolve, learn

asyncio.run({"learn": learn, "evolve": evolve}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3])))
"""


class Paid:
    """A model that notes outside the process what it is asked; it ends the process at a call."""

    def __init__(self, folder: Path, dies_at: int = 0) -> None:
        self.file = folder / "paid"
        self._dies_at = dies_at
        self._says = answering("a * b")

    @property
    def calls(self) -> int:
        return len(self.file.read_text().splitlines()) if self.file.exists() else 0

    def __call__(self, prompt: Prompt) -> Line:
        with self.file.open("a") as file:
            file.write(f"{prompt.purpose}\n")
        if self.calls == self._dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._says(prompt) if prompt.purpose else f"reply to {prompt.messages[-1].text}"


async def learn(folder: Path, dies_at: int = 0) -> JobRunState:
    async with scripted_engine(Paid(folder, dies_at), folder) as hs:  # type: ignore[arg-type]
        asking_job(hs)
        (turn,) = await hs.learning.jobs.run(["asking"])
        assert await services_of(hs).records.db.paid_steps.of_job(KIND, "asking") == []
        return turn.state


async def evolve(folder: Path, dies_at: int = 0) -> tuple[str, float | None]:
    async with evolving(folder, Paid(folder, dies_at)) as hs:
        row = await hs.evolution.run("times")
        return row.state, row.average


def killed(what: str, folder: Path, dies_at: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DYING, what, str(folder), str(dies_at)],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        timeout=110,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


async def test_a_killed_turn_of_learning_goes_on_at_once_and_pays_only_for_the_rest(
    tmp_path: Path,
) -> None:
    killed("learn", tmp_path, dies_at=3)
    assert Paid(tmp_path).calls == 3
    assert await learn(tmp_path) is JobRunState.DONE
    assert Paid(tmp_path).calls == 4, "only the one that was not answered is asked again"


async def test_a_killed_round_of_evolution_goes_on_at_once_and_pays_only_for_the_rest(
    proved_folder: Path,
) -> None:
    times_suite(proved_folder)
    killed("evolve", proved_folder, dies_at=8)
    async with evolving(proved_folder, answering("a * b")) as hs:
        kept = await services_of(hs).records.db.paid_steps.of_job("evolution", "times")
    assert 1 <= len(kept) <= 7 and Paid(proved_folder).calls == 8
    assert await evolve(proved_folder) == ("done", 1.0)
    again = Paid(proved_folder).calls - 8
    assert await evolve(proved_folder) == ("done", 1.0)  # another round, which pays for itself
    whole = Paid(proved_folder).calls - 8 - again
    assert again == whole - len(kept)
