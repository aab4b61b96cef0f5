"""The simplest way to ask documents: the text is pasted in before the question.

The bare model reads it, as far as it fits; nothing is searched, weighed or refused by a mark.
"""

from collections.abc import Mapping, Sequence

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelError
from hammerstone.evaluation.documents.document_scores import DocumentCase
from hammerstone.evaluation.documents.kept_replies import KeptReplies
from hammerstone.evaluation.documents.question_sets import (
    DocumentQuestion,
    OnQuestion,
    QuestionStep,
)
from hammerstone.guard.data import as_data
from hammerstone.library.memory.tokens import tokens_of
from hammerstone.prompts import load
from hammerstone.run.answer.passage_replies import answer_in

MOST_PASTED = 12_000  # tokens of text that the embedded model reads beside a question


def pasted_prompt(question: str, text: str) -> Prompt:
    """The baseline's prompt: the text first, so that it is read once for all questions."""
    shown = as_data("documents", begin_of(text))
    return Prompt(
        load("read_passages_plain").fill(question=question, text=shown),
        max_tokens=60,
        purpose="pasted documents",  # the bare model: the adapter is for passages
    )


def begin_of(text: str, tokens: int = MOST_PASTED) -> str:
    """As many of a text's first lines as a model can read at once."""
    if tokens_of(text) <= tokens:
        return text
    kept: list[str] = []
    room = float(tokens)
    for line in text.split("\n"):
        room -= len(f"{line}\n".encode()) / 4
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept)


async def pasted_cases(
    questions: Sequence[DocumentQuestion],
    texts: Mapping[str, str],
    replies: KeptReplies,
    say: OnQuestion,
) -> list[DocumentCase]:
    """Each question with the text that is pasted in for it; those that nobody has answered, since
    no reply is recorded, do not count."""
    cases: list[DocumentCase] = []
    for number, question in enumerate(questions, 1):
        say(QuestionStep("text pasted in: question", number, len(questions)))
        try:
            (said, *_) = await replies.texts(pasted_prompt(question.text, texts[question.id]))
        except ModelError:
            continue
        answer = answer_in(said)
        stated = bool(answer) and not answer.lower().startswith("not stated")
        cases.append(DocumentCase(question, None, answer if stated else "", 1.0))
    return cases
