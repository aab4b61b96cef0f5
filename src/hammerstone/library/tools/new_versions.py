"""A version that is about to be added to a tool, and why it becomes the active one.

And the seam through which code from people is proved before it becomes a version.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

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
        return asdict(self)


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


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What proving came to. Without a status the code may not be used; `problems` says why."""

    status: Status | None
    problems: tuple[str, ...] = ()
    suite: tuple[Case, ...] = ()
    rejected: tuple[Case, ...] = ()  # cases that prove nothing, each with the reason
    evidence: JsonObject = field(default_factory=dict[str, Json])


FAULTY_BEFORE = 0.3
"""The share of functions written by hand that are assumed to be wrong before any test."""


def suite_confidence(evidence: JsonObject) -> float:
    """The probability that a function is right in general, which passed every case of its suite.

    Small mistakes were made in it on purpose, and the suite noticed a share of them: so much of
    the doubt goes (Bayes' rule). A short function allows few mistakes to try, so each case
    counts as one that was noticed, and one unnoticed is always added.
    """
    tried, cases = evidence.get("mutants"), evidence.get("cases")
    share = evidence.get("mutation_score")
    tried = tried if isinstance(tried, int) else 0
    cases = cases if isinstance(cases, int) else 0
    noticed = tried * share if isinstance(share, int | float) else 0.0
    missed = 1 - (noticed + cases) / (tried + cases + 1)
    return round((1 - FAULTY_BEFORE) / (1 - FAULTY_BEFORE + FAULTY_BEFORE * missed), 4)


class Verifier(Protocol):
    """Proves that a program keeps its promise, by running it in the sandbox.

    The cases count as stated by a person: a single one that fails refuses the code. Raises
    `SandboxError` when there is no sandbox to run in.
    """

    async def verify(
        self, spec: Spec, code: str, suite: tuple[Case, ...]
    ) -> VerificationResult: ...
