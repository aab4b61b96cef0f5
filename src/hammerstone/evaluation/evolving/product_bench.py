"""The bench of evolution: a suite's cases asked of copies of the product, and graded."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from hammerstone.app.evolution.trace_reading import exchanges_of, steps_again
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.chat import Role, Usage
from hammerstone.core.errors import HammerstoneError, ModelError, ModelMissing, NotFound, Stopped
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Embedder
from hammerstone.evaluation.evolving.product_copy import product_copy
from hammerstone.evaluation.suites.graders import CaseOutput, GradingTools
from hammerstone.evaluation.suites.grading import grade_case, needs_judge
from hammerstone.evaluation.suites.shelf import SuiteShelf
from hammerstone.evaluation.suites.subjects import produced_by
from hammerstone.evaluation.suites.suite import Suite, SuiteCase
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.track import CaseScore, TrackCase, Trial
from hammerstone.learn.evolution.tracks.trials import BenchSuite, CaseRun, OnRun, ignored
from hammerstone.models.embedding.embedder_opening import open_embedder, why_words_only
from hammerstone.run.request import AskOptions
from hammerstone.run.services import RoleModels
from hammerstone.storage import SpanRow, TraceRow

OnCase = Callable[[int, int, Trial], None]
"""Told the case's number, how many there are, and the change they are tried with."""


class ProductBench:
    """Fulfils `SuiteBench` for the suites of this machine (`hammerstone suites list`)."""

    def __init__(
        self,
        engine: Hammerstone,
        models: Callable[[], RoleModels] | None = None,
        on_case: OnCase | None = None,
    ) -> None:
        """`models` makes the models of each copy; those of the settings are used without it.
        `on_case` sees every case before it is asked."""
        self._engine = engine
        self._models = models
        self._on_case = on_case
        self._shelf = SuiteShelf(engine.settings)

    def names(self) -> list[str]:
        return [suite.name for suite in self._shelf.list()]

    @asynccontextmanager
    async def open(self, suite: str) -> AsyncIterator[BenchSuite]:
        yield ProductSuite(self._engine, self._shelf.get(suite), self._models, self._on_case)


class ProductSuite:
    def __init__(
        self,
        engine: Hammerstone,
        suite: Suite,
        models: Callable[[], RoleModels] | None,
        on_case: OnCase | None = None,
    ) -> None:
        self._engine = engine
        self._suite = suite
        self._models = models
        self._on_case = on_case
        self._own = {case.id: case for case in suite.cases()}

    @property
    def name(self) -> str:
        return self._suite.name

    @property
    def cases(self) -> tuple[TrackCase, ...]:
        return tuple(_shown(self._suite, case) for case in self._own.values())

    async def run(
        self, cases: Sequence[TrackCase], trial: Trial, purse: TrackPurse, seen: OnRun = ignored
    ) -> list[CaseRun]:
        runs: list[CaseRun] = []
        async with product_copy(self._engine.settings, trial, self._models) as engine:
            workshop = engine.evolution.workshop
            tools = GradingTools(
                workshop.sandbox,
                lambda: _embedder(engine),
                lambda: workshop.models.for_role(Role.JUDGE, allowance=purse),
            )
            for number, case in enumerate(cases, 1):
                if self._on_case is not None:
                    self._on_case(number, len(cases), trial)
                purse.check()
                began = time.perf_counter()
                async with purse.within():
                    run = await self._one(engine, self._own[case.id], tools, purse)
                purse.count_case()
                seconds = time.perf_counter() - began
                runs.append(replace(run, score=replace(run.score, seconds=seconds)))
                seen(runs[-1])
        return runs

    async def _one(
        self, engine: Hammerstone, case: SuiteCase, tools: GradingTools, purse: TrackPurse
    ) -> CaseRun:
        answer, produced = await _asked(engine, self._suite, case)
        if answer is not None:
            cost = answer.cost
            purse.spend(Usage(output_tokens=cost.tokens, usd=cost.usd, calls=cost.model_calls))
        outcome = await grade_case(self._suite, case, produced, tools)
        return await _run_of(engine, case, answer, outcome)


async def _asked(
    engine: Hammerstone, suite: Suite, case: SuiteCase
) -> tuple[Answer | None, CaseOutput]:
    """The answer to a case in a session of its own; no tool is kept, and nothing remembered."""
    files = [suite.folder / name for name in case.files]
    options = AskOptions(memory=False, keep=False, fresh=True)
    try:
        answer = await engine.ask(
            case.request, files=files, session=f"suite {case.id}", options=options
        )
    except (Stopped, ModelError):
        raise
    except HammerstoneError as error:
        return None, CaseOutput(error=error.message)
    return answer, await produced_by(engine, answer)


async def _run_of(
    engine: Hammerstone, case: SuiteCase, answer: Answer | None, outcome: CaseOutcome
) -> CaseRun:
    score = CaseScore(
        case.id,
        outcome.score,
        outcome.passed,
        outcome.counts,
        outcome.given,
        outcome.reason,
        outcome.trace_id,
        answer.run_id if answer else "",
        outcome.tokens,
    )
    domain = case.tags[0] if case.tags else ""
    if answer is None:
        facts = RunFacts(
            "",
            case.request,
            "failed",
            known=0.0,
            wanted=outcome.wanted,
            case=case.id,
            domain=domain,
        )
        return CaseRun(score, facts)
    trace, spans = await _trace(engine, answer.trace_id)
    score = replace(score, exchanges=exchanges_of(spans))
    facts = await _facts(engine, answer, case)
    judged = outcome.counts and not needs_judge(case.graders)
    facts = replace(
        facts,
        case=case.id,
        wanted=outcome.wanted,
        known=outcome.score if judged else None,
        domain=domain or facts.domain,
    )
    again = ()
    if facts.calls and not outcome.passed:
        again = await steps_again(engine.traces, answer.trace_id)
    return CaseRun(score, facts, trace, tuple(spans), again)


async def _trace(engine: Hammerstone, trace_id: str) -> tuple[TraceRow | None, list[SpanRow]]:
    try:
        return await engine.traces.get(trace_id)
    except HammerstoneError:
        return None, []


async def _embedder(engine: Hammerstone) -> Embedder:
    found = open_embedder(engine.settings)
    if found is None:
        raise ModelMissing(why_words_only(engine.settings))
    return found


async def _facts(engine: Hammerstone, answer: Answer, case: SuiteCase) -> RunFacts:
    try:
        return await engine.evolution.facts(answer.run_id)
    except NotFound:
        given = answer.text if answer.result is None else str(answer.result)
        return RunFacts(answer.run_id, case.request, str(answer.status), given)


def _shown(suite: Suite, case: SuiteCase) -> TrackCase:
    wanted: list[Json] = [spec.expect for spec in case.graders]
    return TrackCase(
        case.id,
        case.request,
        wanted[0] if len(wanted) == 1 else wanted,
        case.arguments,
        tuple(suite.folder / name for name in case.files),
        case.tags,
    )
