"""A skill as the rest of the product sees it, and the numbers that decide what it may be and do."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.guard.data import as_data
from hammerstone.library.skills.rules import LEVELS, metadata_of

SCRIPTS = "scripts/"
REFERENCES = "references/"
PLAN = "hammerstone"  # the metadata whose value names the file with the composition
MATURITY = "maturity"  # the metadata whose value is the level that the skill works at, 1 to 5


@dataclass(frozen=True, slots=True)
class SkillHit:
    """A skill found: all that is known of it before it is opened, about 100 tokens."""

    name: str
    description: str  # shortened
    score: float  # meaning and words together; about 1 at best
    cosine: float | None  # raw similarity; None when search works with words alone
    words: float
    considered: bool  # False under the similarity floor
    probability: float = 0.0  # that it is the right one for the request

    @property
    def explanation(self) -> str:
        meaning = "" if self.cosine is None else f", meaning {self.cosine:.2f}"
        floor = "" if self.considered else ", too different in meaning"
        return f"relevance {self.score:.2f}{meaning}, words {self.words:.2f}{floor}"

    def to_json(self) -> JsonObject:
        return {
            "name": self.name,
            "description": self.description,
            "score": round(self.score, 4),
            "considered": self.considered,
            "probability": round(self.probability, 4),
            "explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True)
class Skill:
    """An opened skill: its text and the names of its files; contents come on demand."""

    name: str
    description: str
    front_matter: JsonObject
    body: str
    files: Mapping[str, int]  # path and size in bytes
    findings: tuple[JsonObject, ...]
    digest: str
    source: str
    at: datetime
    tenant: str = ""

    @property
    def license(self) -> str:
        value = self.front_matter.get("license")
        return value if isinstance(value, str) else ""

    @property
    def metadata(self) -> dict[str, str]:
        return metadata_of(self.front_matter)

    @property
    def user_invocable(self) -> bool:
        """Whether a person may start it by name."""
        return self.front_matter.get("user-invocable") is not False

    @property
    def agent_invocable(self) -> bool:
        """Whether the agent may choose it by itself."""
        return agent_invocable(self.front_matter)

    @property
    def level(self) -> int | None:
        """The maturity that the skill sets for itself; None when it says nothing."""
        said = self.metadata.get(MATURITY, "")
        return int(said) if said in LEVELS else None

    @property
    def asked_tools(self) -> tuple[str, ...] | None:
        """What the skill asks for in `allowed-tools`; None when it says nothing."""
        return asked_tools(self.front_matter)

    def permitted_tools(self, granted: Collection[str]) -> frozenset[str]:
        """What it may use: of what was granted, that which it asks for. Asking adds nothing."""
        asked = self.asked_tools
        if asked is None:
            return frozenset(granted)
        names = {each.partition("(")[0] for each in asked}
        return frozenset(name for name in granted if name in names)

    @property
    def scripts(self) -> tuple[str, ...]:
        return tuple(path for path in self.files if path.startswith(SCRIPTS))

    @property
    def references(self) -> tuple[str, ...]:
        kept = ("SKILL.md",)
        return tuple(p for p in self.files if not p.startswith(SCRIPTS) and p not in kept)

    @property
    def plan_path(self) -> str:
        """The file that says how the skill is composed of others; "" when it is not."""
        return self.metadata.get(PLAN, "")

    def for_models(self, limit_chars: int | None = None) -> str:
        """The body for a prompt, marked as data: it may guide the work, never grant anything."""
        return as_data(f"skill {self.name}", self.body, limit_chars)

    def blocked(self, path: str) -> str:
        """Why a script may not run; empty when it may."""
        reasons = [
            str(finding.get("text"))
            for finding in self.findings
            if finding.get("path") == path and finding.get("severity") == "block"
        ]
        return "; ".join(reasons[:3])

    def to_json(self) -> JsonObject:
        return {
            "name": self.name,
            "description": self.description,
            "license": self.license,
            "front_matter": dict(self.front_matter),
            "body": self.body,
            "files": [{"path": path, "bytes": size} for path, size in self.files.items()],
            "findings": [dict(finding) for finding in self.findings],
            "user_invocable": self.user_invocable,
            "agent_invocable": self.agent_invocable,
            "level": self.level,
            "digest": self.digest,
            "source": self.source,
            "at": self.at.isoformat(),
        }


def agent_invocable(front_matter: Mapping[str, Json]) -> bool:
    return front_matter.get("disable-model-invocation") is not True


def asked_tools(front_matter: Mapping[str, Json]) -> tuple[str, ...] | None:
    value = front_matter.get("allowed-tools")
    if isinstance(value, str):
        return tuple(value.split())
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return None


def shortened(text: str, chars: int) -> str:
    """A text on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= chars:
        return line
    cut = line[: chars - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(",;:") + "…"


@dataclass(frozen=True, slots=True)
class SkillSizes:
    """The sizes of what is imported."""

    max_file_bytes: int = 2 << 20
    max_total_bytes: int = 10 << 20
    max_files: int = 300
    max_body_chars: int = 100_000
    idle_chars: int = (
        360  # of a description while the skill is idle: about 100 tokens with the name
    )


@dataclass(frozen=True, slots=True)
class SkillPolicy(SkillSizes):
    """The sizes of skills, and bounds of what one may start and show."""

    name: ClassVar[str] = "skills"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"level": (1, 5), "fit": (0, 1)}
    max_depth: int = 5  # skills that call skills
    max_steps: int = 60  # calls in one run, those of called skills included
    max_items: int = 50  # parts of an input in one fan-out
    parallel: int = 4
    seconds: float = 300.0
    level: int = 4  # the maturity that no skill works above, whatever it says of itself
    fit: float = 0.8  # how likely a skill has to be the right one before `ask` uses it
    body_chars: int = 12_000  # of a skill's text that a model is shown at once
    reference_chars: int = 6_000  # of the references that its text and the request lead to
    references: int = 3  # passages of them
    reference_meaning: float = 0.2  # how near in meaning a passage has to be to be shown
