"""Correctness through the whole product: requests with known answers, asked as a person would."""

from collections.abc import AsyncGenerator, Callable
from functools import partial

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer, OnEvent
from hammerstone.core.errors import HammerstoneError, ModelMissing, ModelUnavailable, Stopped
from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_rows
from hammerstone.evaluation.answers.answers_live import Ask, ask_one
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import FULL, QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share, seconds_of
from hammerstone.evaluation.chapters.findings import calibration, case, lower, middle
from hammerstone.run.request import AskOptions
from hammerstone.run.solve.answer_policy import AnswerPolicy

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"
PLAIN, PLAIN_CHECK = "evals/data/plain_requests.jsonl", "evals/data/check.py"
# Public sets by what the ids of their rows begin with; the rest of the rows is BIG-Bench Hard.
GSM8K, SVAMP = "gsm8k-", "svamp-"
# One program written from eight examples and run: table 1 of the paper on PaL.
PUBLISHED_BY = "Codex, arXiv 2211.10435"


async def asked_rows(
    context: MeasurementContext, rows: list[AnswerRow], published: float | None = None
) -> AsyncGenerator[Finding, None]:
    """Rows asked one by one of a fresh product without starter tools, memory off.

    `published` is what others report for the same set, by programs too.
    """
    outcomes: list[CaseOutcome] = []
    sure_at = context.policies.get(AnswerPolicy).sure_at
    async with context.product(starter_tools=False) as engine:
        ask = _asking(engine)

        async def one(row: AnswerRow) -> CaseOutcome:
            return await asked(row, ask, sure_at)

        async for outcome in context.each(rows, lambda row: row.id, one):
            outcomes.append(outcome)
            yield outcome
    for finding in answer_numbers(outcomes, published):
        yield finding


async def asked(row: AnswerRow, ask: Ask, sure_at: float) -> CaseOutcome:
    """One row asked and judged; all that the scoreboard keeps of it."""
    scored, answer = await ask_one(row, ask)
    return case(
        row.id,
        scored.right,
        {
            "confidence": scored.confidence,
            "sure": float(scored.confidence >= sure_at),
            "solutions": float(scored.solutions),
            "first_s": scored.first_s or 0.0,
            "final_s": scored.final_s or 0.0,
        },
        asked=row.request,
        given=answer.text,
        wanted=row.document.get("want", ""),
        seconds=scored.whole_s or 0.0,
        tokens=scored.tokens or 0,
        trace_id=answer.trace_id,
        tags=(row.id.split("-")[0],),
    )


def answer_numbers(outcomes: list[CaseOutcome], published: float | None) -> list[Finding]:
    """What is shown of answers: right, right where sure, calibration, times."""
    sure = [one for one in outcomes if one.numbers["sure"]]
    first = middle([one.numbers["first_s"] for one in outcomes])
    return [
        passed_share("right", outcomes, baseline=published, baseline_name=PUBLISHED_BY),
        passed_share("right where it says sure", sure, paired=False),
        *calibration([(one.numbers["confidence"], one.passed) for one in outcomes]),
        lower("first answer, median", first, "s"),
        seconds_of("last answer, median", outcomes),
        mean_of("solutions written", "solutions", outcomes, unit="count"),
    ]


async def answer_of(engine: Hammerstone, text: str) -> Answer:
    """The answer to a text on its own; an error is one without a value, but for a model that is
    not there: that says nothing about the product."""
    try:
        return await engine.ask(text, options=AskOptions(memory=False))
    except (Stopped, ModelUnavailable, ModelMissing):
        raise
    except HammerstoneError as error:
        return Answer(text=str(error))


def _asking(engine: Hammerstone) -> Ask:
    async def ask(text: str, on_event: OnEvent) -> Answer:
        return await engine.ask(text, on_event=on_event, options=AskOptions(memory=False))

    return ask


async def live_requests(
    context: MeasurementContext,
    path: str,
    belongs: Callable[[str], bool],
    quick: int,
    published: float | None = None,
) -> AsyncGenerator[Finding, None]:
    """The rows of a file whose ids belong to a set."""
    rows = [row for row in read_rows(context.file(path)) if belongs(row.id)]
    chosen = context.some(rows, instant=1, quick=quick)
    async for finding in asked_rows(context, chosen, published):
        yield finding


def _bbh(name: str) -> bool:
    return not name.startswith((GSM8K, SVAMP))


def _one(
    name: str, title: str, belongs: Callable[[str], bool], published: float | None = None
) -> Measurement:
    run = partial(live_requests, path=ROWS, belongs=belongs, quick=3, published=published)
    needs = Needs(files=(ROWS, CHECK), model=True, sandbox=True)
    return Measurement(name, title, Chapter.CORRECTNESS, run, QUICK, needs, weight=5)


MEASUREMENTS = (
    _one("gsm8k", "GSM8K asked as requests", lambda id: id.startswith(GSM8K), 0.72),
    _one("svamp", "SVAMP asked as requests", lambda id: id.startswith(SVAMP), 0.794),
    _one("bbh", "BIG-Bench Hard asked as requests", _bbh),
    Measurement(
        "plain_requests",
        "Plain requests of every day",
        Chapter.CORRECTNESS,
        partial(live_requests, path=PLAIN, belongs=lambda id: True, quick=2),
        FULL,
        Needs(files=(PLAIN, PLAIN_CHECK), model=True, sandbox=True, checkout=True),
    ),
)
