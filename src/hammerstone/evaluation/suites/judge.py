"""A model as judge of an answer; how far its word can be trusted is measured beside it."""

import json
from dataclasses import dataclass
from importlib import resources

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Model
from hammerstone.prompts import load

_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"why": {"type": "string", "maxLength": 200}, "right": {"type": "boolean"}},
    "required": ["why", "right"],
    "additionalProperties": False,
}
_LONGEST = 2_000  # characters of an answer that the judge sees
TRUTH = "judge_truth.jsonl"


@dataclass(frozen=True, slots=True)
class JudgeWord:
    right: bool
    why: str


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """An answer of which a person has said whether it is right."""

    id: str
    request: str
    answer: str
    wanted: str
    right: bool


async def ask_judge(model: Model, request: str, answer: str, wanted: str) -> JudgeWord:
    """Whether a model calls an answer right. Raises `ModelError`."""
    messages = load("judge").fill(
        request=request[:_LONGEST], answer=answer[:_LONGEST], wanted=wanted[:_LONGEST]
    )
    prompt = Prompt(messages, schema=_SCHEMA, max_tokens=120, purpose="judge")
    reply = await model.complete(prompt)
    try:
        word = json.loads(reply.text)
        return JudgeWord(word["right"] is True, str(word["why"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ModelNonsense(f"the judge's word cannot be read: {error}") from error


def judge_cases() -> list[JudgeCase]:
    """Answers with known truth that come with the package."""
    text = resources.files("hammerstone.evaluation.suites").joinpath(TRUTH).read_text("utf-8")
    return [JudgeCase(**json.loads(line)) for line in text.splitlines() if line.strip()]
