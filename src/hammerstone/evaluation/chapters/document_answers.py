"""Answers from documents: passages found, answers right, refusals right, on recorded replies."""

from collections.abc import AsyncGenerator
from functools import partial

from hammerstone.core.evaluations import Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.chapters.findings import case, higher, lower
from hammerstone.evaluation.documents.document_eval import evaluate_documents
from hammerstone.evaluation.documents.document_scores import DocumentCase
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.question_sets import read_question_set

NORMANS = "documents/normans.json"
OWN = "evals/data/documentation_questions.jsonl"
REPLIES = "evals/data/document_replies.jsonl.gz"


async def document_answers(context: MeasurementContext, file: str) -> AsyncGenerator[Finding, None]:
    """Questions of one set; those without a recorded reply count for search alone."""
    given = read_question_set(context.file(file))
    replies = KeptReplies(context.file(REPLIES), None)
    async with context.product(starter_tools=False) as hs:
        report = await evaluate_documents(
            hs,
            given,
            replies,
            await context.embedder(),
            lambda step: context.say(step.text),
            pasted=False,
        )
    for one in report.cases:
        yield _outcome(one, report.mark)
    found = report.to_json()
    words = found["baselines"]["bm25"]
    yield higher(
        "right passage first",
        found["recall_at_1"],
        target=0.8,
        baseline=words["recall_at_1"],
        baseline_name="BM25",
    )
    yield higher("right passage among five", found["recall_at_5"], target=0.95)
    if replies.recorded:
        asked = [one for one in report.cases if one.signals]
        given_right = [o for o in asked if o.given(report.mark)]
        right = sum(o.question.answerable and o.right for o in given_right)
        share = right / len(given_right) if given_right else None
        yield higher("right of what is answered", share, target=0.85)
        outside = [o for o in asked if not o.question.answerable]
        refused = sum(not o.given(report.mark) for o in outside)
        yield higher("refused of what it does not say", refused / max(1, len(outside)), target=0.7)
        yield lower("calibration error", found["calibration_error"], "share")


def _outcome(one: DocumentCase, mark: float) -> Finding:
    found = one.rank == 0 if one.question.answerable else not one.given(mark)
    return case(
        one.question.id,
        found,
        {"probability": one.probability, "rank": float(one.rank if one.rank is not None else -1)},
        asked=one.question.text,
        given=one.answer,
        wanted=" | ".join(one.question.answers) or "not in the documents",
    )


MEASUREMENTS = (
    Measurement(
        "document_answers_normans",
        "Questions about an article, with and without an answer in it",
        Chapter.RETRIEVAL,
        partial(document_answers, file=NORMANS),
        QUICK,
        Needs(files=(NORMANS, REPLIES), embedder=True),
    ),
    Measurement(
        "document_answers_documentation",
        "Questions about documentation of ours and of installed packages",
        Chapter.RETRIEVAL,
        partial(document_answers, file=OWN),
        QUICK,
        Needs(files=(OWN, REPLIES), embedder=True, checkout=True),
    ),
)
