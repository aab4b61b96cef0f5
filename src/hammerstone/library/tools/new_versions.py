"""A version that is about to be added to a tool, and why it becomes the active one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hammerstone.core.documents import version_id
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, Spec, Status


@dataclass(frozen=True, slots=True)
class ActivationReason:
    """Why a tool's active version changes: nothing moves the pointer without one."""

    kind: str  # registered, restored, retired, repaired, ...
    who: str
    reason: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def to_json(self) -> JsonObject:
        return {
            "kind": self.kind,
            "who": self.who,
            "reason": self.reason,
            "evidence": dict(self.evidence),
        }


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that is about to be added."""

    spec: Spec
    code: str
    suite: tuple[Case, ...]
    rejected: tuple[Case, ...]
    status: Status
    confidence: float | None
    evidence: Mapping[str, Json]
    provenance: Mapping[str, Json]

    @property
    def id(self) -> str:
        return version_id(self.code, self.spec, self.suite)

    def renamed(self, name: str) -> "NewVersion":
        """The same under another name; the function keeps its own inside the module."""
        if name == self.spec.name:
            return self
        code = f"{self.code.rstrip()}\n\n\n{name} = {self.spec.name}\n"
        return replace(self, spec=replace(self.spec, name=name), code=code)
