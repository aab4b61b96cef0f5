"""The product with learning, without it, and with each mechanism off in turn."""

from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core.json_types import JsonObject

PolicyChanges = Mapping[str, JsonObject]

_TOOLS: PolicyChanges = {"proving": {"enabled": False}}
_CACHE: PolicyChanges = {"cache": {"enabled": False}}
_SEARCH: PolicyChanges = {"search": {"learn": False}}
_COMPOSITES: PolicyChanges = {"mining": {"enabled": False}}
_FEEDBACK: PolicyChanges = {"feedback": {"enabled": False}}
_REPAIR: PolicyChanges = {"repair": {"enabled": False}}
_ROUNDS: PolicyChanges = {"learning": {"enabled": False}}
_EARLIER: PolicyChanges = {"execution": {"earlier_calls": 0}}


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to run the stream: which policies differ, and whether tools are built and mined."""

    name: str
    title: str
    changes: PolicyChanges
    proves: bool = True  # the tool behind an answer is proved afterwards
    rounds: bool = True  # a learning round ends each day


ON = Variant("on", "with learning", {})
OFF = Variant(
    "off",
    "without learning",
    {
        **_TOOLS,
        **_CACHE,
        **_SEARCH,
        **_COMPOSITES,
        **_FEEDBACK,
        **_REPAIR,
        **_ROUNDS,
        **_EARLIER,
    },
    proves=False,
    rounds=False,
)
ABLATIONS = (
    Variant("no_tools", "without new tools", _TOOLS, proves=False),
    Variant("no_cache", "without cached results and answers", _CACHE),
    Variant("no_search", "without search that learns", _SEARCH),
    Variant("no_composites", "without composites", _COMPOSITES, rounds=False),
    Variant("no_feedback", "without feedback", _FEEDBACK),
    Variant("no_earlier", "without arguments as in earlier requests", _EARLIER),
)
AGENT, AGENT_TITLE = "agent", "a plain LangGraph agent"
VARIANTS = {one.name: one for one in (OFF, ON, *ABLATIONS)}
