"""A suite as a measurement, so that it is recorded, gone on with and compared like any other."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial

from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest
from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import INSTANT, QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import case
from hammerstone.evaluation.suites.graders import GradingTools
from hammerstone.evaluation.suites.grading import grade_case, needs_judge
from hammerstone.evaluation.suites.judge import JudgeCase, ask_judge, judge_cases
from hammerstone.evaluation.suites.subjects import (
    ModelSubject,
    ProductSubject,
    SkillSubject,
    SuiteSubject,
    ToolSubject,
)
from hammerstone.evaluation.suites.suite import Suite, SuiteCase

OpenSubject = Callable[[MeasurementContext], AbstractAsyncContextManager[SuiteSubject]]


@asynccontextmanager
async def whole_product(context: MeasurementContext) -> AsyncIterator[SuiteSubject]:
    async with context.product() as engine:
        yield ProductSubject(engine)


@asynccontextmanager
async def one_tool(context: MeasurementContext, name: str) -> AsyncIterator[SuiteSubject]:
    async with context.own_product() as engine:
        yield ToolSubject(engine, name)


@asynccontextmanager
async def one_skill(context: MeasurementContext, name: str) -> AsyncIterator[SuiteSubject]:
    async with context.own_product() as engine:
        yield SkillSubject(engine, name)


@asynccontextmanager
async def model_alone(context: MeasurementContext) -> AsyncIterator[SuiteSubject]:
    yield ModelSubject(context.model(Role.CODER))


async def run_suite(
    context: MeasurementContext, suite: Suite, subject: OpenSubject
) -> AsyncGenerator[Finding, None]:
    """Every case answered and graded; the cases are read one by one."""
    tools = GradingTools(context.sandbox, context.embedder, lambda: context.model(Role.CODER))
    kept: list[CaseOutcome] = []
    async with subject(context) as answering:

        async def one(case: SuiteCase) -> CaseOutcome:
            produced = await answering.produce(suite, case)
            return await grade_case(suite, case, produced, tools)

        async for outcome in context.each(suite.cases(), lambda case: case.id, one):
            kept.append(replace(outcome, asked="", given="", wanted="", reason=""))
            yield outcome
    yield passed_share("cases passed", kept)
    yield mean_of("score", "score", kept)


def suite_measurement(
    suite: Suite, subject: OpenSubject = whole_product, *, against: str = "", model: bool = True
) -> Measurement:
    """The measurement of a suite; `against` names what it is run against, if not the product."""
    name = f"suite_{suite.name}" + (f"_{against}" if against else "")
    title = f"Suite {suite.title}" + (f" against {against}" if against else "")
    return Measurement(
        name,
        title,
        Chapter.CORRECTNESS,
        partial(run_suite, suite=suite, subject=subject),
        sets=QUICK if model else INSTANT,
        needs=Needs(files=(str(suite.folder),), model=model),
    )


def broken_suite(name: str, error: BadRequest) -> Measurement:
    """A suite that cannot be read, as a measurement that says why."""

    async def refuse(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        raise error
        yield  # an async generator, which the runner expects

    return Measurement(f"suite_{name}", f"Suite {name}", Chapter.CORRECTNESS, refuse, INSTANT)


async def judge_reliability(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """How often the judge's word is right, on answers of which the truth is known."""
    model = context.model(Role.CODER)

    async def one(known: JudgeCase) -> CaseOutcome:
        word = await ask_judge(model, known.request, known.answer, known.wanted)
        agrees = word.right == known.right
        return case(
            known.id,
            agrees,
            asked=f"{known.request}\nanswer: {known.answer}",
            given="right" if word.right else "wrong",
            wanted="right" if known.right else "wrong",
            reason="" if agrees else word.why,
            numbers={"called_right": float(word.right), "is_right": float(known.right)},
        )

    outcomes: list[CaseOutcome] = []
    async for outcome in context.each(judge_cases(), lambda case: case.id, one):
        outcomes.append(outcome)
        yield outcome
    yield passed_share("the judge agrees with people", outcomes, target=0.9)
    wrong = [one for one in outcomes if not one.numbers["is_right"]]
    yield passed_share("wrong answers that it notices", wrong, paired=False)


JUDGE = Measurement(
    "judge_reliability",
    "The model as judge, on answers with known truth",
    Chapter.ROBUSTNESS,
    judge_reliability,
    sets=QUICK,
    needs=Needs(model=True),
    weight=3,
)
MEASUREMENTS = (JUDGE,)


def with_judge(suite: Suite, measurement: Measurement) -> list[Measurement]:
    """The measurement, and the judge's own where one of the suite's cases asks it."""
    asks = any(needs_judge(case.graders) for case in suite.cases())
    return [measurement, JUDGE] if asks else [measurement]
