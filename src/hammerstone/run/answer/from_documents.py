"""Answers from documents: quoted with their place, or an honest "the documents do not say"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.answers import Answer, EventKind, Sureness
from hammerstone.core.chat import Role
from hammerstone.core.errors import BudgetExceeded, ModelError
from hammerstone.core.json_types import Json
from hammerstone.library.documents import DocumentPolicy, Documents, Passage
from hammerstone.library.documents.contradictions import other_statements
from hammerstone.library.documents.excerpts import Excerpt, ExcerptLine, excerpt_of, whole_of
from hammerstone.library.documents.support import (
    SupportedAnswer,
    about_documents,
    weigh,
)
from hammerstone.library.skills.making.document_skill import DOCUMENTS
from hammerstone.run.answer.passage_replies import passage_replies, reading_prompts
from hammerstone.run.answer.wording import plain_answer
from hammerstone.run.context import Run, RunModels

_FOUND = 5
_SHOWN_CHARS = 500
NOT_SAID = "The documents do not say this."
NOT_CERTAIN = "It is not certain that the documents say this."


@dataclass(frozen=True, slots=True)
class DocumentFind:
    """The passages nearest to a request, and the chance that it is a question about them."""

    passages: tuple[Passage, ...]
    about: float

    @property
    def table(self) -> Passage | None:
        """The nearest passage where it stands for a table, whose rows a program has to read."""
        first = self.passages[0] if self.passages else None
        return first if first is not None and first.kind == "table" else None


class DocumentAnswers:
    """Looks into the documents for a request, and answers from them where they support it."""

    def __init__(self, documents: Documents, models: RunModels) -> None:
        self._documents = documents
        self._models = models

    async def look(self, run: Run) -> DocumentFind | None:
        """What the documents have for the run's words; None where nothing is near."""
        passages = await self._documents.search(run.words, run.request.user, _FOUND)
        if not passages:
            return None
        best = passages[0]
        return DocumentFind(tuple(passages), about_documents(best.meaning, best.words))

    async def answer(self, run: Run, found: DocumentFind, *, asked_for: bool) -> Answer | None:
        """The answer with its passages. Where they do not support one: that they do not say it,
        if the request is about them or the person asked them; else None."""
        policy = self._documents.policy
        excerpt = excerpt_of(found.passages, policy)
        count = len({one.passage.document_id for one in excerpt.lines})
        text = f"reading {len(excerpt.lines)} sentences of {count} documents"
        if count == 1:
            text = f"reading {excerpt.lines[0].passage.path}"
        await run.say(EventKind.EXECUTING, text, skill=DOCUMENTS)
        try:
            replies = await passage_replies(
                self._models.of(run, Role.RESPONDER),
                reading_prompts(run.words, excerpt, whole_of(found.passages[0], policy)),
            )
        except (ModelError, BudgetExceeded):
            return self._shown(run, found, policy) if asked_for else None
        supported = weigh(excerpt, replies)
        if supported.text and supported.probability >= policy.answer_from:
            await self._documents.note_answer(
                run.request.user, supported.lines[0].passage.chunk_id, run.words
            )
            return _given(run, supported, excerpt, policy)
        if asked_for or found.about >= policy.about_from:
            return _refused(run, supported, found.passages, policy)
        return None

    def _shown(self, run: Run, found: DocumentFind, policy: DocumentPolicy) -> Answer:
        """The nearest passages alone, where no model can read them."""
        shown = found.passages[: policy.quoted]
        told = "\n\n".join(_quoted(one.quote, one.place) for one in shown)
        text = f"No model could read the documents. The nearest passages:\n\n{told}"
        return replace(plain_answer(run, text), skill=DOCUMENTS, strategy="skill")


def _given(
    run: Run, supported: SupportedAnswer, excerpt: Excerpt, policy: DocumentPolicy
) -> Answer:
    lines = _distinct(supported.lines)[: policy.quoted]
    other = other_statements(run.words, supported, excerpt)
    shown = [*lines, *(one for one in other if one not in lines)]
    quotes = "\n\n".join(_quoted(one.sentence.text, one.where) for one in shown)
    note = "\n\nThe documents differ on this: compare the passages." if other else ""
    sure = supported.probability >= policy.sure_from and not other
    result: dict[str, Json] = {
        "answer": supported.text,
        "passages": [_passage(one) for one in shown],
        "differs": bool(other),
    }
    return replace(
        plain_answer(run, f"{supported.text}\n\n{quotes}{note}"),
        result=result,
        confidence=round(supported.probability, 4),
        sureness=Sureness.SURE if sure else Sureness.LIKELY,
        why=_why(supported),
        skill=DOCUMENTS,
        strategy="skill",
    )


def _refused(
    run: Run, supported: SupportedAnswer, passages: Sequence[Passage], policy: DocumentPolicy
) -> Answer:
    """That the documents do not say it, with the nearest passage; or, where replies differ, that
    nothing is certain, with the passage that comes closest to an answer."""
    shown = _quoted(passages[0].quote, passages[0].place)
    said, why = NOT_SAID, "no passage supports an answer"
    if supported.text and supported.probability >= policy.doubt_from:
        line = supported.lines[0]
        shown = _quoted(line.sentence.text, line.where)
        said, why = NOT_CERTAIN, "readings of the passages differ"
    return replace(
        plain_answer(run, f"{said} The nearest passage:\n\n{shown}"),
        confidence=round(1 - supported.probability, 4),
        why=why,
        skill=DOCUMENTS,
        strategy="skill",
    )


def not_said(run: Run) -> Answer:
    """The answer where not even a passage is near."""
    return replace(plain_answer(run, NOT_SAID), skill=DOCUMENTS, strategy="skill")


def _why(supported: SupportedAnswer) -> str:
    exact = "word for word" if supported.signals.verbatim else "in other words"
    return f"{supported.lines[0].where} says it {exact}"


def _quoted(text: str, place: str) -> str:
    cut = text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS].rstrip() + " …"
    lines = "\n".join(f"> {line}" for line in cut.split("\n"))
    return f"{lines}\n({place})"


def _passage(line: ExcerptLine) -> Json:
    return {
        "document": line.passage.document_id,
        "file": line.passage.path,
        "source": line.passage.source,
        "section": line.passage.section,
        "line": line.sentence.line,
        "page": line.passage.page or None,
        "text": line.sentence.text,
    }


def _distinct(lines: Sequence[ExcerptLine]) -> list[ExcerptLine]:
    """Each sentence once: copies of a document say the same."""
    found: dict[str, ExcerptLine] = {}
    for one in lines:
        found.setdefault(" ".join(one.sentence.text.split()), one)
    return list(found.values())
