"""Answers from documents: quoted with their place, uncertain with the passage to read, or not
found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.answers import Answer, EventKind, Sureness
from hammerstone.core.chat import Role
from hammerstone.core.errors import BudgetExceeded, ModelError
from hammerstone.core.json_types import Json
from hammerstone.library.documents import DocumentPolicy, Documents, Passage
from hammerstone.library.documents.excerpts import (
    Excerpt,
    ExcerptLine,
    excerpt_of,
    whole_of,
    with_neighbours,
)
from hammerstone.library.documents.support import (
    SupportedAnswer,
    about_documents,
    other_statements,
    weigh,
)
from hammerstone.library.skills.generate import DOCUMENTS
from hammerstone.run.answer.passage_replies import passage_replies, reading_prompts
from hammerstone.run.answer.wording import plain_answer
from hammerstone.run.context import Run, RunModels

_FOUND = 5
_SHOWN_CHARS = 500
NOT_FOUND = "I did not find this in the documents."
NOT_CERTAIN = "It is not certain that the documents say this."
_DIFFER = "The documents differ on this: compare the passages."


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
        """The answer with its passages. Where they do not support one: that it is not certain or
        was not found, if the request is about them or the person asked them; else None."""
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
        if not asked_for and found.about < policy.about_from:
            return None
        if supported.text and supported.probability >= policy.doubt_from:
            return _uncertain(run, supported, excerpt)
        return _not_found(run, found.passages[0])

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
    quotes = [_quoted(one.sentence.text, one.where) for one in shown]
    sure = supported.probability >= policy.sure_from and not other
    result: dict[str, Json] = {
        "answer": supported.text,
        "passages": [_passage(one) for one in shown],
        "differs": bool(other),
    }
    return replace(
        plain_answer(run, "\n\n".join([supported.text, *quotes, *([_DIFFER] if other else [])])),
        result=result,
        confidence=round(supported.probability, 4),
        sureness=Sureness.SURE if sure else Sureness.LIKELY,
        why=_why(supported),
        skill=DOCUMENTS,
        strategy="skill",
    )


def _uncertain(run: Run, supported: SupportedAnswer, excerpt: Excerpt) -> Answer:
    """The likeliest answer as no more than that, with the passages to be read instead of it."""
    said = f"{NOT_CERTAIN} The likeliest answer, from this passage: {supported.text}"
    first, *_ = supported.lines
    other = other_statements(run.words, supported, excerpt)
    quotes = [_to_read(first), *(_quoted(one.sentence.text, one.where) for one in other)]
    return replace(
        plain_answer(run, "\n\n".join([said, *quotes, *([_DIFFER] if other else [])])),
        confidence=round(supported.probability, 4),
        sureness=Sureness.UNSURE,
        why="the documents differ" if other else "readings of the passages differ",
        skill=DOCUMENTS,
        strategy="skill",
    )


def _not_found(run: Run, nearest: Passage) -> Answer:
    """That nothing was found, and what comes nearest: only a few passages are read, and the
    documents may say it in other words."""
    shown = _to_read(ExcerptLine(nearest, nearest.best))
    return replace(
        plain_answer(run, f"{NOT_FOUND} The nearest passage:\n\n{shown}"),
        why="no passage supports an answer",
        skill=DOCUMENTS,
        strategy="skill",
    )


def nothing_near(run: Run) -> Answer:
    """The answer where not even a passage is near."""
    return replace(plain_answer(run, NOT_FOUND), skill=DOCUMENTS, strategy="skill")


def _why(supported: SupportedAnswer) -> str:
    exact = "word for word" if supported.signals.verbatim else "in other words"
    return f"{supported.lines[0].where} says it {exact}"


def _to_read(line: ExcerptLine) -> str:
    """A sentence with those around it, for a person who has to find the answer there."""
    shown = with_neighbours(line, _SHOWN_CHARS)
    return _quoted("\n".join(one.sentence.text for one in shown), shown[0].where)


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
