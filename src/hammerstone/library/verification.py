"""The seam through which code from people is proved before it becomes a version."""

from dataclasses import dataclass, field
from typing import Protocol

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, Spec, Status


@dataclass(frozen=True, slots=True)
class Proof:
    """What proving came to. Without a status the code may not be used; `problems` says why."""

    status: Status | None
    problems: tuple[str, ...] = ()
    suite: tuple[Case, ...] = ()
    rejected: tuple[Case, ...] = ()  # cases that prove nothing, each with the reason
    evidence: JsonObject = field(default_factory=dict[str, Json])


class Verifier(Protocol):
    """Proves that a program keeps its promise, by running it in the sandbox.

    The cases count as stated by a person: a single one that fails refuses the code. Raises
    `SandboxError` when there is no sandbox to run in.
    """

    async def verify(self, spec: Spec, code: str, suite: tuple[Case, ...]) -> Proof: ...
