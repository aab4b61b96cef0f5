"""How many rows come back from damaged SQLite files, beside what `db export` could read of them.

    python -m evals.recovered_rows [--files 20] [--pages 5] [--json]

The same database again and again with other pages turned to noise; in every fifth file the first
page, too. A row counts when it comes back exactly as it was; one that differs is wrong. Ends
with 1 if any row was wrong.
"""

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

from hammerstone.core.errors import HammerstoneError
from hammerstone.storage import Database
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.location import locate_url
from hammerstone.storage.files.recovery.rebuild import look
from hammerstone.storage.files.transfer import export_to
from tests.chaos.storage.damage import destroy, fill, pages, rows


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


async def measure(folder: Path, files: int, damaged: int) -> dict[str, int]:
    whole = folder / "whole.db"
    await fill(whole, sessions=200)
    good = rows(whole)
    total = {"rows": 0, "recovered": 0, "wrong": 0, "exported": 0}
    for number in range(files):
        draw = random.Random(number)
        file = folder / f"{number}.db"
        shutil.copy(whole, file)
        for page in {*draw.sample(range(2, pages(file) + 1), damaged), *([1] * (number % 5 == 0))}:
            destroy(file, page, draw.randbytes(4096))
        same, wrong = await recovered(file, good)
        total["rows"] += sum(map(len, good.values()))
        total["recovered"] += same
        total["wrong"] += wrong
        total["exported"] += await exported(file, folder / f"export-{number}")
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--pages", type=int, default=5, help="pages of noise in each file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recovered-rows-") as folder:
        total = asyncio.run(measure(Path(folder), options.files, options.pages))
    if options.json:
        print(json.dumps(total))
    else:
        shares = {name: f"{count:,} ({count / total['rows']:.1%})" for name, count in total.items()}
        print("\n".join(f"{name:<10} {share}" for name, share in shares.items()))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
