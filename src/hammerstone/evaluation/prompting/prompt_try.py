"""A text of a prompt tried on a suite or on requests with known answers, by the whole product."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest
from hammerstone.core.settings import Settings
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.evaluation.answers.answers_live import ask_one
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.suites.graders import GradingTools
from hammerstone.evaluation.suites.grading import grade_case
from hammerstone.evaluation.suites.subjects import ProductSubject
from hammerstone.evaluation.suites.suite import Suite
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.prompt_shelf import TrialReport
from hammerstone.prompts import on_trial


@dataclass(frozen=True, slots=True)
class PromptTry:
    """A text in the place of a prompt, with the settings that it is tried with."""

    name: str
    text: str
    settings: Settings
    policies: Policies

    async def on_suite(self, suite: Suite) -> TrialReport:
        """Every case of a suite, graded as the suite says; a broken grader says nothing."""
        results: dict[str, float] = {}
        began, tokens = time.monotonic(), 0
        async with self._product() as (engine, resources):
            tools = GradingTools(
                resources.sandbox, resources.embedder, lambda: resources.model(Role.CODER)
            )
            subject = ProductSubject(engine)
            for case in suite.cases():
                produced = await subject.produce(suite, case)
                outcome = await grade_case(suite, case, produced, tools)
                if outcome.counts:
                    results[case.id] = outcome.score
                    tokens += outcome.tokens
        return self._report(suite.name, results, time.monotonic() - began, tokens)

    async def on_requests(self, label: str, rows: Sequence[AnswerRow]) -> TrialReport:
        """Requests with known answers: right or wrong."""
        results: dict[str, float] = {}
        began, tokens = time.monotonic(), 0
        async with self._product() as (engine, _):
            for row in rows:
                scored, _answer = await ask_one(
                    row, lambda request, see: engine.ask(request, on_event=see)
                )
                results[row.id] = float(scored.right)
                tokens += scored.tokens or 0
        return self._report(label, results, time.monotonic() - began, tokens)

    def _report(
        self, label: str, results: dict[str, float], seconds: float, tokens: int
    ) -> TrialReport:
        if not results:
            raise BadRequest(f"{label} has no case that could be scored")
        model = self.settings.model_for(Role.CODER)
        return TrialReport(label, model, results, seconds, tokens)

    @asynccontextmanager
    async def _product(self) -> AsyncIterator[tuple[Hammerstone, BoardResources]]:
        """A fresh product that is told the text in the place of the prompt."""
        resources = BoardResources(self.settings, self.policies)
        try:
            with on_trial(self.name, self.text):
                async with resources.product() as engine:
                    yield engine, resources
        finally:
            await resources.close()
