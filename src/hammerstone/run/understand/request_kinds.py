"""What kind of request it is, asked alone: where the agent's level allows no solution."""

import json

from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.run.context import Run

_SYSTEM = (
    'What does the request need? "calculation" if something is to be computed or changed; '
    '"needs live data" if it needs the internet, the weather, prices or news; "conversation" if '
    'nothing is to be computed (a greeting, thanks, an opinion); "harmful" if it would hurt '
    "someone. Reply as JSON."
)
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"kind": {"enum": [str(kind) for kind in RequestKind]}},
    "required": ["kind"],
    "additionalProperties": False,
}


async def kind_of_request(run: Run) -> RequestKind:
    """The kind, by one short call; a calculation if the model makes no sense."""
    asked = f"Request: {run.words}"
    prompt = Prompt.of(_SYSTEM, asked, schema=_SCHEMA, max_tokens=16, purpose="kind")
    try:
        reply = await run.model(Role.PLANNER).complete(prompt)
        return RequestKind(json.loads(reply.text)["kind"])
    except (ValueError, KeyError, TypeError, ModelNonsense):
        return RequestKind.CALCULATION
