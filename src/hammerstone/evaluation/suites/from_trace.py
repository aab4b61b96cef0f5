"""A case made of a trace: what was asked, and the result that it had."""

import json

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage import TraceRow


def case_of_trace(trace: TraceRow, expect: str | None = None) -> JsonObject:
    """A case with the trace's request, expecting its result, or what the person says instead.

    Raises `BadRequest` for a trace that has no request, or no result and none is given.
    """
    request = trace.metadata.get("request")
    output = trace.final_output if isinstance(trace.final_output, dict) else {}
    if not isinstance(request, str) or not request:
        raise BadRequest(f"the trace {trace.id} holds no request")
    wanted = _read(expect) if expect is not None else output.get("result")
    if wanted is None:
        raise BadRequest(
            f"the trace {trace.id} has no result", hint="say what is right with --expect"
        )
    case: JsonObject = {"id": f"trace-{trace.id[:12]}", "request": request, "expect": wanted}
    case["tags"] = ["from trace"]
    return case


def _read(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
