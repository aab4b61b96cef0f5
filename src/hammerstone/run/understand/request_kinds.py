"""What kind of request it is, asked alone: where the agent's level allows no solution."""

import json

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.seams import Model
from hammerstone.prompts import load

_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"kind": {"enum": [str(kind) for kind in RequestKind]}},
    "required": ["kind"],
    "additionalProperties": False,
}


async def kind_of_request(text: str, model: Model) -> RequestKind:
    """The kind, by one short call; a calculation if the model makes no sense."""
    messages = load("kind").fill(request=text)
    prompt = Prompt(messages, schema=_SCHEMA, max_tokens=16, purpose="kind")
    try:
        reply = await model.complete(prompt)
        return RequestKind(json.loads(reply.text)["kind"])
    except (ValueError, KeyError, TypeError, ModelNonsense):
        return RequestKind.CALCULATION
