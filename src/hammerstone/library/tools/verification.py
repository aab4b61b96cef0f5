"""The seam through which code from people is proved before it becomes a version."""

from dataclasses import dataclass, field
from typing import Protocol

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, Spec, Status


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
