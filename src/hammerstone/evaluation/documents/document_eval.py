"""Questions asked about documents, through the product's own search, prompt and weighing."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Embedder
from hammerstone.evaluation.documents.document_scores import DocumentCase, scores
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.passage_baselines import vector_ranks, word_ranks
from hammerstone.evaluation.documents.question_sets import DocumentQuestion, QuestionSet
from hammerstone.guard.data import as_data
from hammerstone.library.documents import Passage
from hammerstone.library.documents.excerpts import Excerpt, excerpt_of, whole_of
from hammerstone.library.documents.passages import passages_in
from hammerstone.library.documents.support import weigh
from hammerstone.prompts import load
from hammerstone.run.answer.passage_replies import answer_in, reading_prompts

_LOOKED_AT = 10  # passages in which the right one is looked for


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
        inside = [one.question for one in self.cases if one.question.answerable]
        return {
            **scores(self.cases, self.mark),
            "first_half": scores(self.cases[:half], self.mark),
            "second_half": scores(self.cases[half:], self.mark),
            "unasked": self.unasked,
            "baselines": {
                "bm25": _recall(self.words, len(inside)),
                "vectors": _recall(self.vectors, len(inside)),
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
    whole = await _pasted(given, replies) if pasted else []
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
    ranks = [at for at, one in enumerate(found) if question.found_in(one.path, one.text)]
    rank = ranks[0] if ranks else None
    excerpt = excerpt_of(found[:5], hs.documents.policy)
    whole = whole_of(found[0], hs.documents.policy) if found else Excerpt(())
    try:
        prompts = reading_prompts(question.text, excerpt, whole)
        said = [await replies.texts(prompt) for prompt in prompts]
    except ModelError:
        return DocumentCase(question, rank, "", 0.0), False
    weighed = weigh(excerpt, [list(map(answer_in, each)) for each in said])
    return (
        DocumentCase(
            question,
            rank,
            weighed.text,
            weighed.probability,
            tuple(weighed.signals.values()),
        ),
        True,
    )


async def _pasted(given: QuestionSet, replies: KeptReplies) -> list[DocumentCase]:
    """The same model with everything pasted in; only questions that were asked so count."""
    cases: list[DocumentCase] = []
    for question in given.questions:
        prompt = pasted_prompt(question.text, given.pasted)
        if not replies.has(prompt):
            continue
        said = answer_in((await replies.texts(prompt))[0])
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


def _recall(ranks: Sequence[int | None], count: int) -> dict[str, float]:
    return {
        f"recall_at_{most}": round(
            sum(r is not None and r < most for r in ranks) / max(1, count), 4
        )
        for most in (1, 5)
    }
