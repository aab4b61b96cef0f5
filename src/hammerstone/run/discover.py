"""Which tool of the library answers a request, if any: the decision reuse, check or build."""

import json
from dataclasses import dataclass

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Tool
from hammerstone.library.search import Band, Hit
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
_SAME_SCORE = 0.02  # two tools this close to each other are not told apart by search


@dataclass(frozen=True, slots=True)
class Discovery:
    """The fitting tool, or none; `probability` that the best one found fits."""

    tool: Tool | None
    probability: float
    band: Band = Band.LOW
    hits: tuple[Hit, ...] = ()

    @property
    def certain(self) -> bool:
        return self.tool is not None and self.band is Band.HIGH


async def look(run: Run, text: str, *, without: frozenset[str] = frozenset()) -> Discovery:
    """The best tool by search alone, whatever its band; asks no model."""
    search, tenant = run.parts.search, run.request.user
    found = await search.find(text, limit=5, tenant=tenant)
    hits = [hit for hit in found if hit.name not in without]
    if not hits:
        return Discovery(None, 0.0)
    fit = await search.fit(text, hits, tenant)
    tool = await run.parts.registry.find(hits[0].name)
    return Discovery(tool, fit.probability, fit.band, tuple(hits))


async def decide(run: Run, found: Discovery, text: str) -> Discovery:
    """Reuse, check or build (R1.4): in the middle band a model reads the promise first."""
    tool = found.tool
    if tool is None or found.band is Band.LOW:
        return Discovery(None, found.probability, found.band, found.hits)
    if found.band is Band.MIDDLE and not await _covers(run, tool, text):
        return Discovery(None, found.probability, found.band, found.hits)
    await run.say(
        EventKind.TOOL_FOUND,
        f"found {tool.name} ({found.probability:.0%} likely to fit)",
        tool=tool.name,
        probability=found.probability,
        why=found.hits[0].explanation,
    )
    return found


async def rival(run: Run, found: Discovery, text: str) -> Tool | None:
    """A second tool that search cannot tell from the first, if there is one."""
    if not found.certain or len(found.hits) < 2:
        return None
    first, second = found.hits[0], found.hits[1]
    if first.score - second.score > _SAME_SCORE or first.learned > second.learned:
        return None
    fit = await run.parts.search.fit(text, found.hits[1:], run.request.user)
    return await run.parts.registry.find(second.name) if fit.band is Band.HIGH else None


async def _covers(run: Run, tool: Tool, text: str) -> bool:
    """The middle band: a model reads the promise and says whether it covers the request."""
    spec = tool.version.spec
    names = ", ".join(spec.parameters.get("properties") or {})  # type: ignore[arg-type]
    asked = f"Function: {spec.name}({names}): {spec.description}\nRequest: {text}"
    prompt = Prompt.of(_SYSTEM, asked, schema=_SCHEMA, max_tokens=16, purpose="fit")
    reply = await run.model(Role.PLANNER).complete(prompt)
    try:
        return json.loads(reply.text)["fits"] is True
    except (ValueError, KeyError, TypeError):
        return False
