"""Retrieval: is it known when no tool fits?"""

import asyncio
from collections.abc import AsyncGenerator

from hammerstone.core.evaluations import Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import FULL, Finding, Measurement, Needs
from hammerstone.evaluation.chapters.findings import higher, lower
from hammerstone.evaluation.retrieval.data import read_requests, read_tools, read_unanswerable
from hammerstone.evaluation.retrieval.retrieval import bench, paired
from hammerstone.library.search.fit.fits import measure

TOOLS, QUERIES = "retrieval/bfcl_tools.jsonl", "retrieval/bfcl_queries.jsonl"
IRRELEVANT = "retrieval/bfcl_irrelevance.jsonl"


async def tool_fit(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """BFCL with one function on offer, right or irrelevant; judged by gates that never saw it."""
    library = read_tools(context.file(TOOLS))
    embedder = await context.embedder()
    ready = await bench(library, read_requests(context.file(QUERIES), library), embedder)
    decisions = await paired(ready, read_unanswerable(context.file(IRRELEVANT)), embedder)
    found = await asyncio.to_thread(measure, decisions)
    yield higher("fitting told from irrelevant, AUROC", found["auroc"], target=0.9)
    yield higher("decided rightly", found["accuracy"])
    yield lower("calibration error", found["calibration_error"], "share")


MEASUREMENTS = (
    Measurement(
        "tool_fit_bfcl",
        "Fitting and irrelevant functions told apart on BFCL",
        Chapter.RETRIEVAL,
        tool_fit,
        FULL,
        Needs(files=(TOOLS, QUERIES, IRRELEVANT), embedder=True),
    ),
)
