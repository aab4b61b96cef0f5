"""Which tool of the library answers a request, if any: the decision reuse, check or build."""

import json
from dataclasses import dataclass

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Tool
from hammerstone.library.search import Band
from hammerstone.run.context import Run

_SYSTEM = (
    "Does this function compute exactly what the request asks for, for some values of its "
    "parameters? Reply as JSON."
)
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"fits": {"type": "boolean"}},
    "required": ["fits"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Discovery:
    """The fitting tool, or none; `probability` that the best one found fits."""

    tool: Tool | None
    probability: float


async def discover(run: Run) -> Discovery:
    """Search, then decide by the calibrated probability that the best hit fits (R1.4)."""
    search, tenant = run.parts.search, run.request.user
    text = run.request.text
    await run.say(EventKind.SEARCHING, "searching the library")
    hits = await search.find(text, limit=5, tenant=tenant)
    if not hits:
        return Discovery(None, 0.0)
    fit = await search.fit(text, hits, tenant)
    tool = await run.parts.registry.find(hits[0].name)
    if tool is None or fit.band is Band.LOW:
        return Discovery(None, fit.probability)
    if fit.band is Band.MIDDLE and not await _covers(run, tool):
        return Discovery(None, fit.probability)
    await run.say(
        EventKind.TOOL_FOUND,
        f"found {tool.name} ({fit.probability:.0%} likely to fit)",
        tool=tool.name,
        probability=fit.probability,
        why=hits[0].explanation,
    )
    return Discovery(tool, fit.probability)


async def _covers(run: Run, tool: Tool) -> bool:
    """The middle band: a model reads the promise and says whether it covers the request."""
    spec = tool.version.spec
    names = ", ".join(spec.parameters.get("properties") or {})  # type: ignore[arg-type]
    asked = f"Function: {spec.name}({names}): {spec.description}\nRequest: {run.request.text}"
    prompt = Prompt.of(_SYSTEM, asked, schema=_SCHEMA, max_tokens=16, purpose="fit")
    reply = await run.model(Role.PLANNER).complete(prompt)
    try:
        return json.loads(reply.text)["fits"] is True
    except (ValueError, KeyError, TypeError):
        return False
