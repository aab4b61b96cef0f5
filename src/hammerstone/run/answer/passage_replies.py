"""What a model answers from passages: a few short replies to two readings of them.

One shows the best sentences of all passages, the other the nearest passage as a whole. The
embedded model reads with an adapter that has learned to say what a text does not say.
"""

from collections.abc import Sequence

from hammerstone.core.chat import Prompt
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.library.documents.excerpts import Excerpt
from hammerstone.prompts import load

REPLIES = 4  # eight in all: a request may have 20 replies
_TEMPERATURE = 0.8
_SEED = 1  # the same question has the same replies
_MOST_TOKENS = 40


def reading_prompts(question: str, excerpt: Excerpt, whole: Excerpt) -> list[Prompt]:
    """The readings of the best sentences and of the nearest passage, which are data."""
    return [
        reading_prompt(question, as_data("documents", shown.text)) for shown in (excerpt, whole)
    ]


def reading_prompt(question: str, passages: str) -> Prompt:
    """The prompt for one reading of passages that are marked as data."""
    return Prompt(
        load("read_passages").fill(question=question, passages=passages),
        max_tokens=_MOST_TOKENS,
        temperature=_TEMPERATURE,
        samples=REPLIES,
        seed=_SEED,
        purpose="documents",
    )


async def passage_replies(model: Model, prompts: Sequence[Prompt]) -> list[list[str]]:
    """The answers to each reading."""
    found: list[list[str]] = []
    for prompt in prompts:
        reply = await model.complete(prompt)
        found.append([answer_in(sample.text) for sample in reply.samples])
    return found


def answer_in(text: str) -> str:
    """The answer in a reply: its first line."""
    return text.strip().split("\n")[0]
