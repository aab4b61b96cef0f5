"""Questions asked about documents, through the product's own search, prompt and weighing."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Embedder
from hammerstone.evaluation.documents.document_scores import (
    DocumentCase,
    not_given,
    recall,
    scores,
)
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.passage_baselines import vector_ranks, word_ranks
from hammerstone.evaluation.documents.pasted import pasted_cases
from hammerstone.evaluation.documents.question_sets import (
    DocumentQuestion,
    OnQuestion,
    QuestionSet,
    QuestionStep,
)
from hammerstone.library.documents import Passage
from hammerstone.library.documents.documents import IngestStep
from hammerstone.library.documents.excerpts import Excerpt, excerpt_of, whole_of
from hammerstone.library.documents.passages import passages_in
from hammerstone.library.documents.support import weigh
from hammerstone.run.answer.passage_replies import answer_in, reading_prompts

_LOOKED_AT = 10  # passages in which the right one is looked for


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """Every question as it was answered, and the simpler ways beside it."""

    cases: tuple[DocumentCase, ...]
    pasted: tuple[DocumentCase, ...]  # all of the documents, as far as the model can read
    pasted_file: tuple[DocumentCase, ...]  # of several, the one with the nearest passage
    words: tuple[int | None, ...]
    vectors: tuple[int | None, ...]
    unasked: int  # questions that no reply is kept for, and no model replied to
    mark: float
    doubt: float

    def to_json(self) -> dict[str, Any]:
        half = len(self.cases) // 2
        return {
            **scores(self.cases, self.mark),
            **not_given(self.cases, self.mark, self.doubt),
            "first_half": scores(self.cases[:half], self.mark),
            "second_half": scores(self.cases[half:], self.mark),
            "unasked": self.unasked,
            "baselines": {
                "bm25": _recall(self.words),
                "vectors": _recall(self.vectors) if self.vectors else None,
                "pasted": scores(self.pasted, 0.0) if self.pasted else None,
                "pasted_file": scores(self.pasted_file, 0.0) if self.pasted_file else None,
            },
        }


async def evaluate_documents(
    hs: Hammerstone,
    given: QuestionSet,
    replies: KeptReplies,
    embedder: Embedder | None,
    say: OnQuestion = lambda _: None,
    *,
    pasted: bool = True,
) -> DocumentReport:
    """Add the documents to a product, then ask every question as `ask` would."""
    with tempfile.TemporaryDirectory(prefix="hammerstone-documents-") as folder:
        write_documents(given, Path(folder))
        await hs.documents.add(folder, on_step=lambda step: say(_in_questions(step)))
    cases: list[DocumentCase] = []
    nearest: dict[str, str] = {}
    unasked = 0
    for number, question in enumerate(given.questions, 1):
        say(QuestionStep("question", number, len(given.questions)))
        found = await hs.documents.search(question.text, limit=_LOOKED_AT)
        case, known = await _case(hs, question, found, replies)
        cases.append(case)
        nearest[question.id] = found[0].path if found else ""
        unasked += not known
    whole: list[DocumentCase] = []
    one_file: list[DocumentCase] = []
    if pasted:
        everything = dict.fromkeys(nearest, given.pasted)
        whole = await pasted_cases(given.questions, everything, replies, say)
        if len(given.documents) > 1:
            texts = await _texts(hs)
            chosen = {id: texts.get(path, "") for id, path in nearest.items()}
            one_file = await pasted_cases(given.questions, chosen, replies, say)
    inside = [one for one in given.questions if one.answerable]
    texts = await _passages(hs)
    vectors = await vector_ranks(inside, texts, embedder) if embedder is not None else []
    return DocumentReport(
        tuple(cases),
        tuple(whole),
        tuple(one_file),
        tuple(word_ranks(inside, texts)),
        tuple(vectors),
        unasked,
        hs.documents.policy.answer_from,
        hs.documents.policy.doubt_from,
    )


def write_documents(given: QuestionSet, folder: Path) -> None:
    """The documents as files."""
    for name, content in given.documents.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _in_questions(step: IngestStep) -> QuestionStep:
    if step.path:
        return QuestionStep("reading document", step.done + 1, step.of)
    return QuestionStep("made ready to be found: piece", step.done, step.of)


async def _case(
    hs: Hammerstone,
    question: DocumentQuestion,
    found: Sequence[Passage],
    replies: KeptReplies,
) -> tuple[DocumentCase, bool]:
    """How a question was answered, and whether anybody replied."""
    case = DocumentCase(
        question,
        _first(question.said_in(one.path, one.text) for one in found),
        "",
        0.0,
        rank_in_file=_first(question.found_in(one.path, one.text) for one in found),
    )
    excerpt = excerpt_of(found[:5], hs.documents.policy)
    whole = whole_of(found[0], hs.documents.policy) if found else Excerpt(())
    try:
        prompts = reading_prompts(question.text, excerpt, whole)
        said = [await replies.texts(prompt) for prompt in prompts]
    except ModelError:
        return replace(case, asked=False), False
    weighed = weigh(excerpt, [list(map(answer_in, each)) for each in said])
    signals = tuple(weighed.signals.values())
    answered = replace(case, answer=weighed.text, probability=weighed.probability, signals=signals)
    return answered, True


def _first(right: Iterable[bool]) -> int | None:
    return next((at for at, one in enumerate(right) if one), None)


async def _texts(hs: Hammerstone) -> dict[str, str]:
    """Every document as it was read, by its file."""
    return {
        row.path: "\n\n".join(one.text for one in await hs.documents.chunks(row))
        for row in await hs.documents.list()
    }


async def _passages(hs: Hammerstone) -> list[tuple[str, str]]:
    """Every passage of every document, with its file."""
    found: list[tuple[str, str]] = []
    for row in await hs.documents.list():
        for chunk in await hs.documents.chunks(row):
            lines = chunk.text.split("\n")
            found += [
                (row.path, "\n".join(lines[b.start : b.end])) for b in passages_in(chunk.text)
            ]
    return found


def _recall(ranks: Sequence[int | None]) -> dict[str, float]:
    return {f"recall_at_{most}": recall(ranks, most) for most in (1, 5)}
