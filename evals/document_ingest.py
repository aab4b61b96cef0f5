"""How fast documents are read, with how much memory, and how fast many are searched.

    python -m evals.document_ingest [--set instant|quick|full] [--json]

Pages are cut from the Markdown of this repository, about a kilobyte each, every one with a line
of its own so that no two are alike. The same is done without the embedder: reading, cutting and
storing alone.
"""

import os
import resource
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from statistics import median

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower

PAGE_CHARS = 1_000
QUESTIONS = ("Which port does the server use?", "How is a tool proved?", "What is a skill?")


def write_pages(folder: Path, count: int) -> int:
    """So many short pages; how many bytes they are together."""
    text = "\n\n".join(path.read_text("utf-8") for path in sorted(Path("docs").rglob("*.md")))
    pieces = [text[at : at + PAGE_CHARS] for at in range(0, len(text), PAGE_CHARS)]
    total = 0
    for number in range(count):
        own = f"# Page {number}\n\nThis is page {number} of {count}.\n\n"
        page = f"{own}{pieces[number % len(pieces)]}\n"
        place = folder / f"{number // 500:03}" / f"{number:05}.md"
        place.parent.mkdir(exist_ok=True)
        total += place.write_text(page, "utf-8")
    return total


async def ingest(count: int, embedder: str) -> dict[str, float]:
    """Read pages into a fresh product; rates, memory and times of search."""
    with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as pages:
        size = write_pages(Path(pages), count)
        changes = {"embedder": embedder, "starter_tools": False}
        settings = fresh_settings(load_settings(), Path(own), **changes)
        async with Hammerstone.open(settings) as hs:
            before, cpu = time.perf_counter(), time.process_time()
            report = await hs.documents.add(pages)
            seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
            assert report.read == count
            await hs.documents.search(QUESTIONS[0])
            times: list[float] = []
            for number in range(15):
                start = time.perf_counter()
                await hs.documents.search(f"{QUESTIONS[number % 3]} {number}")
                times.append(time.perf_counter() - start)
            start = time.perf_counter()
            again = await hs.documents.add(pages)
            assert again.unchanged == count
            return {
                "pages": count,
                "mb_per_s": size / 1e6 / seconds,
                "pages_per_s": count / seconds,
                "mb_per_cpu_s": size / 1e6 / cpu,
                "unchanged_pages_per_s": count / (time.perf_counter() - start),
                "search_ms": 1000 * median(times),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    count = amount(context, instant=200, quick=1_000, full=10_000)
    plain = await own_process(ingest, count=count, embedder="off")
    yield case("without vectors", True, plain)
    few = int(os.environ.get("HAMMERSTONE_PAGES", "0")) or amount(
        context, instant=50, quick=300, full=10_000
    )
    whole = await own_process(ingest, count=few, embedder="local")
    yield case("with vectors", True, whole)
    yield higher("read and stored", plain["mb_per_s"], "MB/s")
    yield higher("read, embedded and stored", whole["mb_per_s"], "MB/s")
    yield higher("read and stored, of processor time", plain["mb_per_cpu_s"], "MB/s")
    yield higher("read, embedded and stored, of processor time", whole["mb_per_cpu_s"], "MB/s")
    yield higher("pages with vectors", whole["pages"], "")
    yield higher("unchanged pages looked at", plain["unchanged_pages_per_s"], "1/s")
    yield lower("search", whole["search_ms"])
    yield lower("memory, without vectors", plain["peak_mb"], "MB")
    yield lower("memory, with vectors", whole["peak_mb"], "MB")


if __name__ == "__main__":
    measured("document_ingest")
