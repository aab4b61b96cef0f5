"""Run the probes against a sandbox and report what was contained."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from hammerstone.core.errors import SandboxError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.sandbox.conformance import (
    files,
    memory,
    network,
    privileges,
    probe_channel,
    probe_state,
    processes,
    results,
)
from hammerstone.sandbox.conformance.probe import (
    Probe,
    ProbeFinding,
    ProbeKind,
    ProbeStage,
    escaped,
)

PROBES: tuple[Probe, ...] = (
    *files.PROBES,
    *network.PROBES,
    *processes.PROBES,
    *memory.PROBES,
    *privileges.PROBES,
    *probe_channel.PROBES,
    *probe_state.PROBES,
    *results.PROBES,
)

FAST: frozenset[str] = frozenset(probe.name for probe in PROBES if probe.fast)


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


OnResult = Callable[[ProbeResult], None]


async def run_probes(
    sandbox: Sandbox,
    *,
    only: Collection[str] | None = None,
    on_result: OnResult | None = None,
) -> Report:
    """Run all probes, or those whose names are in `only`, one after the other.

    Raises `SandboxRefused` when the sandbox cannot run anything; whatever a probe meets after
    that is a result. A probe that breaks proves nothing and counts as not contained.
    """
    chosen = [probe for probe in PROBES if only is None or probe.name in only]
    results: list[ProbeResult] = []
    for probe in chosen:
        found = await _try(probe, sandbox)
        result = ProbeResult(probe.name, probe.tries, probe.kind, found.contained, found.detail)
        results.append(result)
        if on_result is not None:
            on_result(result)
    gaps: Mapping[str, str] = getattr(sandbox, "known_gaps", {})
    return Report(sandbox.backend, tuple(results), dict(gaps))


async def _try(probe: Probe, sandbox: Sandbox) -> ProbeFinding:
    try:
        return await probe.run(ProbeStage(sandbox))
    except SandboxError:
        raise
    except Exception as error:
        return escaped(f"inconclusive, the probe broke: {type(error).__name__}: {error}"[:240])
