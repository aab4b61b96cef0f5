"""Controls around generated code, looked at in a sandbox that is opened for it."""

from hammerstone.app.security.control import SecurityControl, off, ok, weak
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings
from hammerstone.sandbox import open_sandbox
from hammerstone.sandbox.conformance import PROBES, run_probes
from hammerstone.sandbox.report import ISOLATES, cgroup_finding
from hammerstone.sandbox.selftest import proved_at

_FILTER_PROBE = "privileges.filters_are_on"
_CHECK = "hammerstone sandbox check shows every attack"


async def confinement_controls(settings: Settings) -> list[SecurityControl]:
    try:
        sandbox = await open_sandbox(settings)
    except HammerstoneError as error:
        return [*_without(error), cgroup_limits("")]
    try:
        return [
            isolation(settings, sandbox),
            await seccomp(sandbox),
            cgroup_limits(sandbox.backend),
            await guest_network(sandbox),
        ]
    finally:
        await sandbox.close()


def isolation(settings: Settings, sandbox: Sandbox) -> SecurityControl:
    """Which backend generated code runs in; one that opened has passed its self-test."""
    name, at = "sandbox", proved_at(settings, sandbox.backend)
    when = f" {at:%Y-%m-%d %H:%M} UTC" if at else ""
    detail = f"{sandbox.backend}: {ISOLATES[sandbox.backend]}; self-test passed{when}"
    gaps = getattr(sandbox, "known_gaps", {})
    if gaps:
        detail += f"; not contained: {', '.join(gaps)}"
        return weak(name, detail, "hammerstone doctor says what a stronger backend needs")
    return ok(name, detail)


async def seccomp(sandbox: Sandbox) -> SecurityControl:
    """Whether the kernel filters a guest's system calls, asked from inside."""
    return await _attacked(
        sandbox, "seccomp", _FILTER_PROBE, "on: only the system calls that are needed are allowed"
    )


async def guest_network(sandbox: Sandbox) -> SecurityControl:
    return await _attacked(sandbox, "network of guests", "network.", "denied")


def cgroup_limits(backend: str) -> SecurityControl:
    """What caps memory, processes and CPU of a guest's whole tree."""
    name, found = "cgroup limits", cgroup_finding()
    if found.ok:
        return ok(name, found.detail)
    if backend == "container":
        return ok(name, "set by the container engine")
    if backend == "landlock":
        return weak(
            name,
            "not available; each process has its own limits, and a watcher checks them",
            found.fix,
        )
    return off(name, found.detail, found.fix)


async def _attacked(sandbox: Sandbox, name: str, probes: str, held: str) -> SecurityControl:
    """A control that is tried now, with the attacks whose names begin so."""
    only = {probe.name for probe in PROBES if probe.name.startswith(probes)}
    try:
        report = await run_probes(sandbox, only=only)
    except HammerstoneError as error:
        return off(name, error.message, error.hint or _CHECK)
    if report.breaches:
        return off(name, f"not contained: {', '.join(r.name for r in report.breaches)}", _CHECK)
    tried = f"{report.contained} attacks" if report.total > 1 else "seen"
    return ok(name, f"{held}; {tried} from inside a guest, just now")


def _without(error: HammerstoneError) -> list[SecurityControl]:
    fix = error.hint or "hammerstone doctor"
    none = "no sandbox works here, so no generated code runs"
    return [
        off("sandbox", error.message, fix),
        off("seccomp", none, fix),
        off("network of guests", none, fix),
    ]
