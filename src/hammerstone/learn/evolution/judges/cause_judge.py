"""A model's word on why a run failed, asked only where the record does not tell."""

import json

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model
from hammerstone.guard.data import as_data
from hammerstone.learn.evolution.judges.causes import RootCause
from hammerstone.learn.evolution.judges.classifying import CauseGuess
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.prompts import load

CHOICES = (
    RootCause.INSTRUCTIONS,
    RootCause.MISSING_TOOL,
    RootCause.BROKEN_TOOL,
    RootCause.MISSING_KNOWLEDGE,
    RootCause.HARNESS,
)
_NAMES: list[Json] = [str(cause) for cause in CHOICES]
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "maxLength": 200},
        "cause": {"type": "string", "enum": _NAMES},
    },
    "required": ["why", "cause"],
    "additionalProperties": False,
}
_CONFIDENCE = 0.4  # of a model's word alone: less than any rule with evidence
_LONGEST = 2_000


def cause_messages(facts: RunFacts) -> tuple[Message, ...]:
    """What the judge is asked about a failed run."""
    return load("judge_cause").fill(
        request=as_data("request", facts.request, _LONGEST),
        record=as_data("record", "\n".join(record_lines(facts)), _LONGEST),
        answer=as_data("answer", facts.given or "none", 500),
        wanted=as_data("what is right", facts.wanted or "not known", 500),
    )


def record_lines(facts: RunFacts) -> list[str]:
    """What a run did, one line each."""
    lines = [f"call {call.tool}: {'ok' if call.ok else call.error}" for call in facts.calls[:10]]
    if facts.solutions:
        lines.append(f"{facts.solutions} programs were written, {facts.agree} gave the answer")
    if facts.programs:
        lines.append(f"the first program:\n{facts.programs[0][:800]}")
    lines += [f"error ({error.kind}): {error.text}" for error in facts.errors[:6]]
    return lines or ["answered without a tool"]


async def ask_cause(model: Model, facts: RunFacts) -> CauseGuess | None:
    """A model's guess; None for a reply that cannot be read. Raises `ModelError`."""
    prompt = Prompt(cause_messages(facts), schema=_SCHEMA, max_tokens=120, purpose="judge cause")
    try:
        return read_cause((await model.complete(prompt)).text, model.name)
    except ModelNonsense:
        return None


def read_cause(text: str, judge: str) -> CauseGuess | None:
    """The cause in a reply, if it is one of those that were asked for."""
    try:
        document = json.loads(text)
        cause = RootCause(document["cause"])
        why = str(document["why"])[:200]
    except (ValueError, KeyError, TypeError):
        return None
    if cause not in CHOICES:
        return None
    return CauseGuess(cause, _CONFIDENCE, why, (f"said by {judge}",))
