"""Questions asked about documents, through the product's own search, prompt and weighing."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Embedder
from hammerstone.evaluation.documents.document_scores import DocumentCase, recall, scores
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.passage_baselines import vector_ranks, word_ranks
from hammerstone.evaluation.documents.question_sets import DocumentQuestion, QuestionSet
from hammerstone.guard.data import as_data
from hammerstone.library.documents import Passage
from hammerstone.library.documents.excerpts import Excerpt, excerpt_of, whole_of
from hammerstone.library.documents.passages import passages_in
from hammerstone.library.documents.support import weigh
from hammerstone.library.memory.tokens import tokens_of
from hammerstone.prompts import load
from hammerstone.run.answer.passage_replies import answer_in, reading_prompts

_LOOKED_AT = 10  # passages in which the right one is looked for
_MOST_PASTED = 12_000  # tokens of documents that the embedded model reads beside a question


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """Every question as it was answered, and the simpler ways beside it."""

    cases: tuple[DocumentCase, ...]
    pasted: tuple[DocumentCase, ...]
    words: tuple[int | None, ...]
    vectors: tuple[int | None, ...]
    unasked: int  # questions that no reply was recorded for, and no model could be asked
    mark: float

    def to_json(self) -> dict[str, Any]:
        half = len(self.cases) // 2
        return {
            **scores(self.cases, self.mark),
            "first_half": scores(self.cases[:half], self.mark),
            "second_half": scores(self.cases[half:], self.mark),
            "unasked": self.unasked,
            "baselines": {
                "bm25": _recall(self.words),
                "vectors": _recall(self.vectors) if self.vectors else None,
                "pasted": scores(self.pasted, 0.0) if self.pasted else None,
            },
        }


async def evaluate_documents(
    hs: Hammerstone,
    given: QuestionSet,
    replies: KeptReplies,
    embedder: Embedder | None,
    say: Callable[[str], None] = lambda _: None,
    *,
    pasted: bool = True,
) -> DocumentReport:
    """Add the documents to a product, then ask every question as `ask` would."""
    with tempfile.TemporaryDirectory(prefix="hammerstone-documents-") as folder:
        write_documents(given, Path(folder))
        await hs.documents.add(folder)
    cases: list[DocumentCase] = []
    unasked = 0
    for number, question in enumerate(given.questions, 1):
        say(f"question {number} of {len(given.questions)}")
        found = await hs.documents.search(question.text, limit=_LOOKED_AT)
        case, known = await _case(hs, question, found, replies)
        cases.append(case)
        unasked += not known
    whole = await _pasted(given, replies, say) if pasted else []
    inside = [one for one in given.questions if one.answerable]
    texts = await _passages(hs)
    vectors = await vector_ranks(inside, texts, embedder) if embedder is not None else []
    return DocumentReport(
        tuple(cases),
        tuple(whole),
        tuple(word_ranks(inside, texts)),
        tuple(vectors),
        unasked,
        hs.documents.policy.answer_from,
    )


def write_documents(given: QuestionSet, folder: Path) -> None:
    """The documents as files."""
    for name, content in given.documents.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


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


async def _pasted(
    given: QuestionSet, replies: KeptReplies, say: Callable[[str], None]
) -> list[DocumentCase]:
    """The same model with everything pasted in, where it can be read at once; without a model,
    only questions that were asked so before count."""
    if tokens_of(given.pasted) > _MOST_PASTED:
        return []
    cases: list[DocumentCase] = []
    for number, question in enumerate(given.questions, 1):
        say(f"all of the text pasted in: question {number} of {len(given.questions)}")
        try:
            said = answer_in((await replies.texts(pasted_prompt(question.text, given.pasted)))[0])
        except ModelError:
            continue
        stated = bool(said) and not said.lower().startswith("not stated")
        cases.append(DocumentCase(question, None, said if stated else "", 1.0))
    return cases


def pasted_prompt(question: str, text: str) -> Prompt:
    """The baseline's prompt: the whole text first, so that it is read once for all questions."""
    return Prompt(
        load("read_passages_plain").fill(question=question, text=as_data("documents", text)),
        max_tokens=60,
        purpose="pasted documents",  # the bare model: the adapter is for passages
    )


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
