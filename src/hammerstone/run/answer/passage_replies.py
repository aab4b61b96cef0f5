"""What a model answers from an excerpt: several short replies, to be held against the text."""

import json

from hammerstone.core.chat import Prompt
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.library.documents.excerpts import Excerpt
from hammerstone.prompts import load

REPLIES = 4  # as many as the embedded model writes side by side
_TEMPERATURE = 0.8
_SEED = 1  # the same question has the same replies
_MOST_TOKENS = 60
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": 160}},
    "required": ["answer"],
    "additionalProperties": False,
}


def passage_prompt(question: str, excerpt: Excerpt) -> Prompt:
    """The question beside the excerpt, which is data."""
    passages = as_data("documents", excerpt.text)
    return Prompt(
        load("read_passages").fill(question=question, passages=passages),
        schema=_SCHEMA,
        max_tokens=_MOST_TOKENS,
        temperature=_TEMPERATURE,
        samples=REPLIES,
        seed=_SEED,
        purpose="documents",
    )


async def passage_replies(model: Model, question: str, excerpt: Excerpt) -> list[str]:
    """The answers that the model gives; empty texts for replies that are none."""
    reply = await model.complete(passage_prompt(question, excerpt))
    return [answer_in(sample.text) for sample in reply.samples]


def answer_in(text: str) -> str:
    """The answer in a reply; empty where it holds none."""
    try:
        return str(json.loads(text).get("answer", ""))
    except (ValueError, AttributeError):
        return ""
