"""Measurements that ask the product, with a scripted model: what they call right, and what not."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.evaluations import CaseOutcome, EvaluationSet, MetricValue
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.chapters.consistency import paraphrases
from hammerstone.evaluation.chapters.live_requests import live_requests
from hammerstone.evaluation.chapters.reuse_curve import reuse_curve
from hammerstone.library.policies import Policies
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.storage import Database
from tests.integration.engine import percent_script, scripted_engine

CHECK = "def is_right(row, value):\n    return value == row['want']\n"
ASKED = "What is 17.5% of 240?"


@dataclass(slots=True)
class ScriptedResources(BoardResources):
    """The product is one with a scripted model."""

    @asynccontextmanager
    async def product(self, **changes: object) -> AsyncIterator[Hammerstone]:
        folder = self.settings.data_dir / "product"
        async with scripted_engine(percent_script(), folder) as engine:
            yield engine


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[MeasurementContext]:
    from hammerstone.core.settings import Settings

    settings = Settings(data_dir=tmp_path, embedder="off")
    db = await Database.open(settings)
    policies = Policies(db, (AnswerPolicy,))
    await policies.load()
    folder = tmp_path / "data" / "requests"
    folder.mkdir(parents=True)
    (folder / "check.py").write_text(CHECK, "utf-8")
    resources = ScriptedResources(settings, policies, tmp_path / "data")
    yield MeasurementContext(resources, EvaluationSet.FULL)
    await db.close()


def _write(context: MeasurementContext, name: str, *rows: object) -> None:
    assert context.resources.data is not None
    path = context.resources.data / "requests" / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


async def _found(
    findings: AsyncGenerator[Finding, None],
) -> tuple[list[CaseOutcome], dict[str, MetricValue]]:
    every = [one async for one in findings]
    cases = [one for one in every if isinstance(one, CaseOutcome)]
    return cases, {one.name: one for one in every if isinstance(one, MetricValue)}


async def test_an_answer_is_judged_by_the_rows_check(context: MeasurementContext) -> None:
    _write(
        context,
        "dev.jsonl",
        {"id": "gsm8k-1", "q": ASKED, "check": "number", "want": 42},
        {"id": "gsm8k-2", "q": "And 17.5% of 240, please?", "check": "number", "want": 43},
        {"id": "svamp-1", "q": "never asked", "check": "number", "want": 1},
    )
    run = live_requests(context, "requests/dev.jsonl", lambda id: id.startswith("gsm8k"), 3)
    cases, metrics = await _found(run)
    assert [(one.case, one.passed) for one in cases] == [("gsm8k-1", True), ("gsm8k-2", False)]
    assert cases[0].trace_id and cases[0].numbers["solutions"] >= 1
    assert metrics["right"].value == 0.5 and metrics["first answer, median"].value is not None


async def test_later_requests_of_a_kind_are_told_from_the_first(
    context: MeasurementContext,
) -> None:
    rows = [{"id": f"p-{n}", "family": "p", "q": ASKED, "check": "x", "want": 42} for n in (0, 1)]
    _write(context, "families.jsonl", *rows)
    cases, metrics = await _found(reuse_curve(context, starter=False))
    assert [one.tags for one in cases] == [("p", "first"), ("p", "later")]
    assert all(one.passed for one in cases)
    later = metrics["model calls of a later request"]
    assert later.value == 0 and later.baseline is not None and later.baseline > 0
    assert metrics["model calls of request 2 of a kind"].value == 0


async def test_a_need_counts_only_when_every_wording_is_right(context: MeasurementContext) -> None:
    wordings = [(ASKED, 42), (f"{ASKED} Please.", 43)]
    rows = [
        {"id": f"p-{n}", "family": "p", "q": text, "check": "x", "want": want}
        for n, (text, want) in enumerate(wordings)
    ]
    _write(context, "families.jsonl", *rows)
    (one,), metrics = await _found(paraphrases(context))
    assert not one.passed and one.numbers["alike"] == 0.5
    assert metrics["needs right in every wording"].value == 0.0
