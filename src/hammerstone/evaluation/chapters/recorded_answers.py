"""Correctness on recorded solutions: is the chosen answer right, and is "sure" right?"""

from collections.abc import AsyncGenerator

from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.answers.answer_rows import read_bank, read_rows
from hammerstone.evaluation.answers.answers import (
    RecordedRequest,
    ScoredAnswer,
    SimplerWay,
    baselines,
    best_of,
    record,
    score,
)
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import calibration, case
from hammerstone.run.solve.answer_policy import AnswerPolicy

ROWS = "requests/dev.jsonl"
CHECK = "requests/check.py"
BANK = "evals/data/answers_bank.json.gz"
PROMPT = "live"  # the prompt that the product uses


async def recorded_answers(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The product's choice among eight recorded solutions, beside one prompt and a plain vote."""
    rows = read_rows(context.file(ROWS))
    bank = read_bank(context.file(BANK))
    recorded = await record(rows, bank, [PROMPT], await context.sandbox())
    policy = context.policies.get(AnswerPolicy)
    scored = [(one, score(one, policy)) for one in recorded]
    outcomes = [_outcome(one, answer, policy) for one, answer in scored]
    for outcome in outcomes:
        yield outcome
    plain = best_of(baselines(recorded), SimplerWay.GREEDY)
    yield passed_share("right", outcomes, baseline=plain, baseline_name="one prompt", target=0.65)
    sure = [outcome for outcome in outcomes if outcome.numbers["sure"]]
    yield passed_share("right where it says sure", sure, target=0.9, paired=False)
    for finding in calibration([(answer.confidence, answer.right) for _, answer in scored]):
        yield finding


def _outcome(one: RecordedRequest, answer: ScoredAnswer, policy: AnswerPolicy) -> CaseOutcome:
    sure = answer.confidence >= policy.sure_at
    return case(
        one.row.id,
        answer.right,
        asked=one.row.request,
        given=str(answer.value),
        wanted=one.row.document.get("want", ""),
        reason="" if answer.right else "the value that most solutions agree on is wrong",
        tags=(one.row.id.split("-")[0],),
        numbers={
            "confidence": answer.confidence,
            "sure": float(sure),
            "solutions": float(answer.solutions),
            "tokens": float(answer.tokens or 0),  # spent when the solutions were recorded
        },
    )


MEASUREMENTS = (
    Measurement(
        "recorded_answers",
        "Answers chosen from recorded solutions",
        Chapter.CORRECTNESS,
        recorded_answers,
        needs=Needs(files=(ROWS, CHECK, BANK), sandbox=True),
    ),
)
