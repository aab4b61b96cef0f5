"""What a model answers from passages: several short replies to several readings of them.

One prompt alone misleads a small model the same way each time. Three differ in what they show:
an excerpt, the same excerpt after other examples, and the nearest passage as a whole.
"""

import json
from collections.abc import Sequence

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.library.documents.excerpts import Excerpt
from hammerstone.prompts import load

REPLIES = 4  # twelve in all: a request may have 20 replies
_TEMPERATURE = 0.8
_SEED = 1  # the same question has the same replies
_MOST_TOKENS = 60
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": 160}},
    "required": ["answer"],
    "additionalProperties": False,
}


def reading_prompts(question: str, excerpt: Excerpt, whole: Excerpt) -> list[Prompt]:
    """The readings of the best sentences and of the nearest passage, which are data.

    What begins alike comes one after the other, so that the embedded model reads it once.
    """
    best = as_data("documents", excerpt.text)
    nearest = as_data("documents", whole.text)
    return [
        _prompt(load("read_passages").fill(question=question, passages=best), SCHEMA),
        _prompt(load("read_passages").fill(question=question, passages=nearest), SCHEMA),
        _prompt(load("read_passages_strict").fill(question=question, passages=best), None),
    ]


def _prompt(messages: tuple[Message, ...], schema: JsonObject | None) -> Prompt:
    return Prompt(
        messages,
        schema=schema,
        max_tokens=_MOST_TOKENS,
        temperature=_TEMPERATURE,
        samples=REPLIES,
        seed=_SEED,
        purpose="documents",
    )


async def passage_replies(model: Model, prompts: Sequence[Prompt]) -> list[list[str]]:
    """The answers to each reading; empty texts for replies that are none."""
    found: list[list[str]] = []
    for prompt in prompts:
        reply = await model.complete(prompt)
        found.append([answer_in(sample.text) for sample in reply.samples])
    return found


def answer_in(text: str) -> str:
    """The answer in a reply, as JSON or plain; empty where it holds none."""
    plain = text.strip()
    if not plain.startswith("{"):
        return plain.split("\n")[0]
    try:
        return str(json.loads(plain).get("answer", ""))
    except (ValueError, AttributeError):
        return ""
