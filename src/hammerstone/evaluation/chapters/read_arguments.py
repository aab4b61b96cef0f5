"""Arguments read from requests: BFCL, beside one plain prompt to the same model."""

from collections.abc import AsyncGenerator

from hammerstone.core.chat import Role
from hammerstone.core.evaluations import Better, CaseOutcome, Chapter
from hammerstone.evaluation.answers.argument_scores import (
    BASELINE,
    OURS,
    ArgumentCase,
    read_cases,
    score_arguments,
)
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share, seconds_of
from hammerstone.evaluation.chapters.findings import case

CASES = "arguments/bfcl_simple.jsonl"
Numbered = tuple[int, ArgumentCase]


async def bfcl_arguments(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every case read as the product reads it, and by one plain prompt."""
    model = context.model(Role.PLANNER)

    async def read(numbered: Numbered) -> CaseOutcome:
        number, one = numbered
        ours = await score_arguments(number, one, OURS, model)
        plain = await score_arguments(number, one, BASELINE, model)
        return case(
            f"{number:03} {one.spec.name}",
            ours.right,
            {
                "plain": float(plain.right),
                "lenient": float(ours.lenient),
                "written": float(ours.output_tokens),
                "written_plain": float(plain.output_tokens),
            },
            asked=one.query,
            given=ours.values,
            wanted=one.accepted,
            seconds=ours.seconds,
            tokens=ours.prompt_tokens + ours.output_tokens,
        )

    cases = context.some(list(enumerate(read_cases(context.file(CASES), None))), instant=2, quick=6)
    outcomes: list[CaseOutcome] = []
    async for outcome in context.each(cases, lambda one: f"{one[0]:03} {one[1].spec.name}", read):
        outcomes.append(outcome)
        yield outcome
    count = max(1, len(outcomes))
    plain = sum(one.numbers["plain"] for one in outcomes) / count
    tokens = sum(one.numbers["written_plain"] for one in outcomes) / count
    name = "one plain prompt"
    yield passed_share("arguments right", outcomes, baseline=plain, baseline_name=name)
    yield mean_of("right but for punctuation", "lenient", outcomes)
    yield mean_of(
        "tokens written", "written", outcomes, unit="count", better=Better.LOWER,
        baseline=tokens, baseline_name=name,
    )  # fmt: skip
    yield seconds_of("one request, median", outcomes)


MEASUREMENTS = (
    Measurement(
        "bfcl_arguments",
        "BFCL: arguments read from requests",
        Chapter.CORRECTNESS,
        bfcl_arguments,
        QUICK,
        Needs(files=(CASES,), model=True),
        weight=3,
    ),
)
