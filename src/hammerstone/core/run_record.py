"""What a run was done with: its kind, models, versions of policies and prompts, tools, cost."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hammerstone.core.json_types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """One prompt as a run used it.

    `version` is the number in its header, `round` how often another text was put in force before
    this one (0: the shipped text), `hash` that of what is sent.
    """

    version: int
    round: int = 0
    hash: str = ""


@dataclass(frozen=True, slots=True)
class ToolVersion:
    """A tool that a run called, and the id of its version."""

    name: str
    version_id: str = ""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What one run was done with.

    `kind` is what the request needed (`RequestKind`), `strategy` how it was answered. `release` is
    the product's version; `policies` has the number of every policy and prompt that was ever
    changed, all others are the release's own. `prompts` are those that were really sent.
    `variants` says for each experiment in which variant the run was.
    """

    kind: str = ""
    strategy: str = ""
    release: str = ""
    models: tuple[str, ...] = ()
    policies: Mapping[str, int] = field(default_factory=dict[str, int])
    prompts: Mapping[str, SentPrompt] = field(default_factory=dict[str, SentPrompt])
    variants: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: tuple[ToolVersion, ...] = ()
    cached: bool = False
    tokens: int = 0
    model_calls: int = 0
    usd: float = 0.0
    seconds: float = 0.0

    @property
    def prompt_round(self) -> int:
        """The highest round of the prompts that were sent."""
        return max((one.round for one in self.prompts.values()), default=0)

    def to_json(self) -> JsonObject:
        return {
            **asdict(self),
            "models": list(self.models),
            "tools": [asdict(tool) for tool in self.tools],
            "prompt_round": self.prompt_round,
        }

    @staticmethod
    def from_json(document: Json) -> "RunRecord | None":
        """The record that a run's row holds; None for a run from before there were any."""
        if not isinstance(document, dict) or not document:
            return None
        known: dict[str, Any] = {
            name: document[name] for name in RunRecord.__dataclass_fields__ if name in document
        }
        known["models"] = tuple(known.get("models", ()))
        known["tools"] = tuple(ToolVersion(**tool) for tool in known.get("tools", ()))
        known["prompts"] = {
            name: SentPrompt(**one) for name, one in known.get("prompts", {}).items()
        }
        return RunRecord(**known)
