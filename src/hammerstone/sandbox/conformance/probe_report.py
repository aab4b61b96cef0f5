"""What a run of the probes found, ready to print or to store."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.core.json_types import JsonObject
from hammerstone.sandbox.conformance.probe import ProbeKind


@dataclass(frozen=True, slots=True)
class ProbeResult:
    name: str
    tries: str
    kind: ProbeKind
    contained: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """Every probe's result; `gaps` is what the backend itself says it cannot do, and why."""

    backend: str
    probes: tuple[ProbeResult, ...]
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def total(self) -> int:
        return len(self.probes)

    @property
    def contained(self) -> int:
        return sum(result.contained for result in self.probes)

    @property
    def known_gaps(self) -> tuple[str, ...]:
        return tuple(f"{name}: {reason}" for name, reason in self.gaps.items())

    @property
    def breaches(self) -> tuple[ProbeResult, ...]:
        """What forbids running generated code: a containment probe got out, or an unnamed gap."""
        return tuple(
            result
            for result in self.probes
            if not result.contained
            and (result.kind is ProbeKind.CONTAINMENT or result.name not in self.gaps)
        )

    def to_json(self) -> JsonObject:
        return {
            "backend": self.backend,
            "total": self.total,
            "contained": self.contained,
            "probes": [
                {
                    "name": result.name,
                    "kind": str(result.kind),
                    "tries": result.tries,
                    "contained": result.contained,
                    "detail": result.detail,
                }
                for result in self.probes
            ],
            "known_gaps": list(self.known_gaps),
        }
