"""Library tools as OpenAI tool definitions, and the calls a model makes of them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.tools import Status, Tool

_SERVING = (Status.VERIFIED, Status.TRUSTED)


async def openai_tools(hs: Hammerstone, names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """The proved tools as `tools=` of a chat completion; all of them, or the named ones."""
    return [_definition(tool) for tool in await proved(hs, names)]


async def openai_result(hs: Hammerstone, call: Any) -> dict[str, Any]:
    """The message that answers one tool call of a chat completion, object or dictionary.

    A failure is told to the model in the message; it is never raised.
    """
    document = call if isinstance(call, Mapping) else call.model_dump()
    try:
        arguments = json.loads(document["function"]["arguments"] or "{}")
        answer = await hs.run_tool(document["function"]["name"], arguments)
        content = json.dumps(answer.result) if answer.status == "done" else answer.text
    except HammerstoneError as error:
        content = f"error: {error.message}"
    except (ValueError, TypeError) as error:
        content = f"error: the arguments are not JSON ({error})"
    return {"role": "tool", "tool_call_id": document["id"], "content": content}


async def proved(hs: Hammerstone, names: Iterable[str] | None = None) -> list[Tool]:
    """Verified and trusted tools; raises `NotFound` for a name that is not there."""
    if names is not None:
        return [await hs.tools.get(name) for name in names]
    return [tool for tool in await hs.tools.list() if tool.status in _SERVING]


def _definition(tool: Tool) -> dict[str, Any]:
    spec = tool.version.spec
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": spec.description,
            "parameters": {"type": "object", "properties": {}, **spec.parameters},
        },
    }
