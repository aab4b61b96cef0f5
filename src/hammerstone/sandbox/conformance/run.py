"""Run the probes against a sandbox and report what was contained."""

from collections.abc import Callable, Collection, Mapping

from hammerstone.core.errors import SandboxError
from hammerstone.core.seams import Sandbox
from hammerstone.sandbox.conformance.catalogue import PROBES
from hammerstone.sandbox.conformance.probe import Probe, ProbeFinding, escaped
from hammerstone.sandbox.conformance.probe_report import ProbeResult, Report
from hammerstone.sandbox.conformance.probe_stage import ProbeStage

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
