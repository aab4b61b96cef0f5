"""Which tool of the library answers a request, if any: the decision reuse, check or build."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Tool
from hammerstone.library.search import Band, Hit
from hammerstone.run.bind.fill import fill
from hammerstone.run.context import Run
from hammerstone.run.policy import PlanPolicy
from hammerstone.run.understand.literals import find_literals

_SYSTEM = (
    "Which of these functions computes exactly what the request asks for, for some values of its "
    "parameters? Reply as JSON; none if none of them does."
)
_NONE = "none"
_CHOICES = 4
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


def in_search_words(text: str) -> str:
    """A request as search reads it best: signs as words, data by what it is."""
    text = re.sub(r"(?<=\d)\s?%", " percent", text)
    text = re.sub(r"\[\s*\{.*\}\s*\]", "the rows of a table", text, flags=re.DOTALL)
    text = re.sub(r"\{[^{}]*\}", "a record", text)
    return re.sub(r"\[[^\[\]]{12,}\]", "a list", text)


async def look(run: Run, text: str, *, without: frozenset[str] = frozenset()) -> Discovery:
    """The best tool by search alone, whatever its band; asks no model."""
    search, tenant = run.parts.search, run.request.user
    text = in_search_words(text)
    revision = run.seen.index if run.seen_lately else None
    found = await search.find(text, limit=5, tenant=tenant, revision=revision)
    hits = [hit for hit in found if hit.name not in without]
    if not hits:
        return Discovery(None, 0.0)
    fit = await search.fit(text, hits, tenant)
    tool = await known_tool(run, hits[0].name)
    return Discovery(tool, fit.probability, fit.band, tuple(hits))


async def known_tool(run: Run, name: str) -> Tool | None:
    """A tool as the library has it, read once for each run."""
    if name not in run.ledger.tools:
        registry = run.parts.registry
        known = registry.find_at(name, run.seen.tools) if run.seen_lately else registry.find(name)
        tool = await known
        if tool is None:
            return None
        run.ledger.tools[name] = tool
    return run.ledger.tools[name]


async def decide(run: Run, found: Discovery, text: str) -> Discovery:
    """Reuse, check or build (R1.4).

    A likely tool is used. In the middle band, and where several tools are so near that search
    cannot tell them apart, a model reads their promises and picks one or none: a few tokens
    against the thousands that building a tool costs.
    """
    chosen = found
    doubtful = found.tool is not None and not takes_all(found.tool, text)
    if not found.certain or (doubtful and find_literals(text)):
        near = await _candidates(run, found)
        whole = [tool for tool in near if takes_all(tool, text)]
        if found.certain:
            # The values in the words fill another near tool, and not the likely one.
            tool = await _chosen(run, [found.tool, *whole], text) if whole else found.tool
        elif len(whole) == 1 and found.band is Band.MIDDLE:
            tool = whole[0]  # likely, and the only one whose parameters the words fill
        else:
            tool = await _chosen(run, whole or near, text)
        if tool is None:
            return Discovery(None, found.probability, found.band, found.hits)
        chosen = replace(found, tool=tool, band=found.band if found.certain else Band.MIDDLE)
    assert chosen.tool is not None
    why = next(hit.explanation for hit in found.hits if hit.name == chosen.tool.name)
    await run.say(
        EventKind.TOOL_FOUND,
        f"found {chosen.tool.name} ({found.probability:.0%} likely to fit)",
        tool=chosen.tool.name,
        probability=found.probability,
        why=why,
    )
    return chosen


def takes_all(tool: Tool, text: str) -> bool:
    """Whether the values in the words fill every parameter of the tool, with none left over."""
    filled = fill(tool.version.spec, text)
    return bool(filled.values) and not filled.open


async def _candidates(run: Run, found: Discovery) -> list[Tool]:
    """The tools worth reading: the best one in the middle band, and all that are near."""
    near = run.parts.policies.get(PlanPolicy).choose_above_similarity
    tools: list[Tool] = []
    for place, hit in enumerate(found.hits[:_CHOICES]):
        likely = place == 0 and found.band is Band.MIDDLE
        if likely or (hit.cosine is not None and hit.cosine >= near):
            tool = await known_tool(run, hit.name)
            tools += [tool] if tool is not None else []
    return tools


async def _chosen(run: Run, tools: Sequence[Tool | None], text: str) -> Tool | None:
    tools = [tool for tool in tools if tool is not None]
    if not tools:
        return None
    names: list[Json] = [tool.name for tool in tools]
    schema: JsonObject = {
        "type": "object",
        "properties": {"function": {"enum": [*names, _NONE]}},
        "required": ["function"],
        "additionalProperties": False,
    }
    lines = [_promise(tool) for tool in tools]
    asked = "Functions:\n" + "\n".join(lines) + f"\nRequest: {text}"
    prompt = Prompt.of(_SYSTEM, asked, schema=schema, max_tokens=32, purpose="choose")
    try:
        reply = await run.model(Role.PLANNER).complete(prompt)
        picked = json.loads(reply.text)["function"]
    except (ValueError, KeyError, TypeError, ModelNonsense):
        return None
    return next((tool for tool in tools if tool.name == picked), None)


def _promise(tool: Tool) -> str:
    spec = tool.version.spec
    names = ", ".join(spec.parameters.get("properties") or {})  # type: ignore[arg-type]
    return f"{spec.name}({names}): {spec.description}"


async def rival(run: Run, found: Discovery, text: str) -> Tool | None:
    """A second tool that search cannot tell from the first, if there is one."""
    if not found.certain or len(found.hits) < 2:
        return None
    first, second = found.hits[0], found.hits[1]
    if first.score - second.score > _SAME_SCORE or first.learned > second.learned:
        return None
    words = in_search_words(text)
    fit = await run.parts.search.fit(words, found.hits[1:], run.request.user)
    return await known_tool(run, second.name) if fit.band is Band.HIGH else None
