"""How many rows come back from damaged SQLite files, beside what `db export` could read of them.

    python -m evals.recovered_rows [--set instant|quick|full] [--json]

The same database again and again with other pages turned to noise; in every fifth file the first
page, too. A row counts when it comes back exactly as it was; one that differs is wrong.
"""

import random
import shutil
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.errors import HammerstoneError
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)
from hammerstone.storage import Database
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.location import locate_url
from hammerstone.storage.files.recovery.rebuild import look
from hammerstone.storage.files.transfer import export_to
from tests.chaos.storage.damage import destroy, fill, pages, rows

PAGES = 5  # of noise in each file


async def recovered(file: Path, good: dict[str, dict[int, tuple[object, ...]]]) -> tuple[int, int]:
    """Rows that came back as they were, and rows that came back different."""
    hold = Hold.take_alone(file)
    try:
        found = await look(hold)
    finally:
        hold.release()
    same = wrong = 0
    for name, expected in good.items():
        for rowid, row in found.tables[name].rows.items():
            matches = expected.get(rowid) == tuple(row)
            same, wrong = same + matches, wrong + (not matches)
    return same, wrong


async def exported(file: Path, target: Path) -> int:
    database = Database.unopened(locate_url(f"sqlite:///{file}"))
    try:
        return (await export_to(database, target)).total
    except HammerstoneError:
        return 0
    finally:
        await database.close()


async def measure(folder: str, files: int, damaged: int) -> list[dict[str, int]]:
    """For each damaged file: its rows, those that came back, the wrong ones, the exported."""
    return [one async for one in _damaged(Path(folder), files, damaged)]


async def _damaged(folder: Path, files: int, damaged: int) -> AsyncGenerator[dict[str, int], None]:
    whole = folder / "whole.db"
    await fill(whole, sessions=200)
    good = rows(whole)
    for number in range(files):
        draw = random.Random(number)
        file = folder / f"{number}.db"
        shutil.copy(whole, file)
        for page in {*draw.sample(range(2, pages(file) + 1), damaged), *([1] * (number % 5 == 0))}:
            destroy(file, page, draw.randbytes(4096))
        same, wrong = await recovered(file, good)
        rest = await exported(file, folder / f"export-{number}")
        rows_ = sum(map(len, good.values()))
        yield {"rows": rows_, "recovered": same, "wrong": wrong, "exported": rest}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each damaged file as a case: no row comes back wrong."""
    files = amount(context, instant=3, quick=5, full=20)
    with tempfile.TemporaryDirectory(prefix="recovered-rows-") as folder:
        found = await own_process(measure, folder=folder, files=files, damaged=PAGES)
    for number, one in enumerate(found):
        yield case(
            f"file {number:02}", not one["wrong"], one, wanted="no row comes back wrong",
            given=f"{one['recovered']} of {one['rows']} rows, {one['wrong']} wrong",
        )  # fmt: skip
    total = {name: sum(one[name] for one in found) for name in found[0]}
    yield higher(
        "rows that come back", total["recovered"] / total["rows"],
        baseline=total["exported"] / total["rows"], baseline_name="what export can read",
    )  # fmt: skip
    yield lower("rows that come back wrong", total["wrong"], "count", target=0)


if __name__ == "__main__":
    measured("recovered_rows")
