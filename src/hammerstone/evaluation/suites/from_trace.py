"""A case made of a trace: what was asked, and the result that it had."""

import json
from collections.abc import Sequence

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.run.understand.session_files import GIVEN
from hammerstone.storage import SpanRow, TraceRow

TOOL = "tool"
CALLED_BY_NAME = frozenset({"run", TOOL, "sandbox"})  # the spans of a call without a request


def case_of_trace(
    trace: TraceRow, expect: str | None = None, spans: Sequence[SpanRow] = ()
) -> JsonObject:
    """A case with the trace's request, expecting its result, or what the person says instead.

    Where one tool answered, the case has its arguments too, and can be run against that tool; a
    tool that was called by name has no request.

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
    calls = [span for span in spans if span.kind == TOOL]
    if len(calls) == 1 and isinstance(calls[0].input, dict):
        case["arguments"] = calls[0].input
        if {span.kind for span in spans} <= CALLED_BY_NAME:
            del case["request"]
    return case


async def files_of_trace(hs: Hammerstone, trace: TraceRow) -> dict[str, bytes]:
    """The files that the person gave with the request, by name, as far as they are still kept:
    those of the request itself, and earlier ones of the session that it names."""
    request = str(trace.metadata.get("request", "")).casefold()
    rows = await hs.files.list(user=trace.user, session=trace.session_id, limit=1_000)
    given = [row for row in rows if row.step == GIVEN and row.at <= (trace.ended_at or row.at)]
    own = [row for row in given if row.run_id == trace.run_id]
    named = [row for row in given if row.name.casefold() in request]
    found: dict[str, bytes] = {}
    for row in [*own, *named]:
        if row.name not in found:
            found[row.name] = (await hs.files.get(row.id, user=trace.user))[1]
    return found


def _read(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
