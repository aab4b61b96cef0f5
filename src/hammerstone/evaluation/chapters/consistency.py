"""Robustness: the same need gets the same answer, in other words and when it is asked again."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.core.json_types import Json
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_bank, read_rows
from hammerstone.evaluation.answers.answers import RecordedRequest, record, score
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import FULL, INSTANT, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import amount, case
from hammerstone.evaluation.chapters.live_requests import answer_of
from hammerstone.evaluation.families.families import (
    FamilyRequest,
    ask_request,
    read_check,
    read_families,
)
from hammerstone.judging.equality import same_answer
from hammerstone.run.solve.answer_policy import AnswerPolicy

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"
BANK, PROMPT = "evals/data/answers_bank.json.gz", "live"
FAMILIES = "requests/families.jsonl"
TIMES = 3  # that a request is asked


async def repeated_recorded(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Two answers to each request, each chosen from its own half of the recorded solutions."""
    policy = context.policies.get(AnswerPolicy)
    rows, bank = read_rows(context.file(ROWS)), read_bank(context.file(BANK))
    chosen = context.some(rows, instant=120, quick=200)
    recorded = await record(chosen, bank, [PROMPT], await context.sandbox())
    outcomes = [_halves(one, policy) for one in recorded]
    for outcome in outcomes:
        yield outcome
    yield passed_share("the same answer twice", outcomes)
    sure = [one for one in outcomes if one.numbers["sure"]]
    yield passed_share("the same answer twice where it is sure", sure, paired=False)


def _halves(one: RecordedRequest, policy: AnswerPolicy) -> CaseOutcome:
    first, second = (
        score(replace(one, solutions=one.solutions[at::2], tokens=()), policy) for at in (0, 1)
    )
    sure = first.confidence >= policy.sure_at
    return case(
        one.row.id,
        same_answer(first.value, second.value),
        {"sure": float(sure), "right": (first.right + second.right) / 2},
        asked=one.row.request,
        given=f"{first.value} and {second.value}",
        wanted="twice the same",
        tags=(one.row.id.split("-")[0],),
    )


async def repeated_live(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Requests asked several times, each time of a product that has never seen them."""
    chosen = context.some(read_rows(context.file(ROWS)), instant=1, quick=1, full=20)

    async def ask(row: AnswerRow) -> CaseOutcome:
        answers = [await _fresh_answer(context, row.request) for _ in range(TIMES)]
        values = [answer.result for answer in answers]
        return case(
            row.id,
            _all_same(values),
            {"right": sum(map(row.is_right, values)) / TIMES},
            asked=row.request,
            given=" / ".join(map(str, values)),
            wanted=f"{TIMES} times the same",
            tokens=sum(answer.cost.tokens for answer in answers),
        )

    outcomes: list[CaseOutcome] = []
    async for outcome in context.each(chosen, lambda row: row.id, ask):
        outcomes.append(outcome)
        yield outcome
    yield passed_share(f"the same answer {TIMES} times", outcomes)
    yield mean_of("right", "right", outcomes)


async def _fresh_answer(context: MeasurementContext, text: str) -> Answer:
    async with context.product(starter_tools=False) as engine:
        return await answer_of(engine, text)


def _all_same(values: Sequence[Json]) -> bool:
    return all(value is not None and same_answer(values[0], value) for value in values)


async def paraphrases(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """One need in several wordings: all of them right, or the words made the difference."""
    path = context.file(FAMILIES)
    families = context.some(list(read_families(path).values()), instant=1, quick=1)
    most = amount(context, instant=2, quick=3, full=6)
    is_right = read_check(path)
    outcomes: list[CaseOutcome] = []
    async with context.product() as engine:

        async def ask(members: Sequence[FamilyRequest]) -> CaseOutcome:
            return await _wordings(engine, members[:most], is_right)

        async for outcome in context.each(families, lambda members: members[0].family, ask):
            outcomes.append(outcome)
            yield outcome
    yield passed_share("needs right in every wording", outcomes)
    yield mean_of("wordings that end as most do", "alike", outcomes)


async def _wordings(
    engine: Hammerstone, members: Sequence[FamilyRequest], is_right: object
) -> CaseOutcome:
    done = [await ask_request(engine, one, is_right, first=False) for one in members]  # pyright: ignore[reportArgumentType]
    right = sum(one.right for one in done)
    wrong = [f"{one.text} -> {end.told}" for one, end in zip(members, done, strict=True)
             if not end.right]  # fmt: skip
    return case(
        members[0].family,
        right == len(done),
        {"alike": max(right, len(done) - right) / len(done), "right": right / len(done)},
        asked="\n".join(one.text for one in members),
        given="\n".join(wrong) or "all right",
        wanted="right in every wording",
    )


_RECORDED = Needs(files=(ROWS, CHECK, BANK), sandbox=True, checkout=True)
MEASUREMENTS = (
    Measurement("repetition_recorded", "The same request twice, from recorded solutions",
                Chapter.ROBUSTNESS, repeated_recorded, INSTANT, _RECORDED),
    Measurement("repetition", f"The same request {TIMES} times", Chapter.ROBUSTNESS,
                repeated_live, FULL, Needs(files=(ROWS, CHECK), model=True, sandbox=True)),
    Measurement("paraphrase", "One need in other words", Chapter.ROBUSTNESS, paraphrases, FULL,
                Needs(files=(FAMILIES, CHECK), model=True, sandbox=True)),
)  # fmt: skip
