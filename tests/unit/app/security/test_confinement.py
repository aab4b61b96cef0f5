"""What is said of a sandbox that is weaker, breached, or not there."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hammerstone.app.security import confinement
from hammerstone.app.security.control import ControlState
from hammerstone.core.errors import SandboxRefused
from hammerstone.core.settings import Settings
from hammerstone.sandbox import report
from hammerstone.sandbox.conformance import ProbeKind, ProbeResult, Report
from hammerstone.sandbox.opening import BACKENDS

OK, WEAK, OFF = ControlState


def a_sandbox(backend: str = "bubblewrap", gaps: Mapping[str, str] | None = None) -> Any:
    return SimpleNamespace(backend=backend, known_gaps=gaps or {})


def test_every_backend_has_words_for_what_it_isolates() -> None:
    assert set(report.ISOLATES) == set(BACKENDS)


def test_a_backend_with_gaps_is_weak(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert confinement.isolation(settings, a_sandbox()).state is OK
    gap = a_sandbox("landlock", {"files.see_metadata": "stat is not governed"})
    found = confinement.isolation(settings, gap)
    assert found.state is WEAK and "files.see_metadata" in found.detail


@pytest.mark.parametrize(
    ("backend", "state"),
    [("container", OK), ("landlock", WEAK), ("", OFF), ("bubblewrap", OFF)],
)
def test_without_cgroups_it_depends_on_the_backend(
    backend: str, state: ControlState, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = report.BackendFinding("limits by cgroup", False, "no right", "do this")
    monkeypatch.setattr(confinement, "cgroup_finding", lambda: missing)
    assert confinement.cgroup_limits(backend).state is state


async def test_an_attack_that_gets_out_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run_probes(sandbox: Any, *, only: set[str]) -> Report:
        results = [ProbeResult(name, "", ProbeKind.CONTAINMENT, False, "out") for name in only]
        return Report("bubblewrap", tuple(results))

    monkeypatch.setattr(confinement, "run_probes", run_probes)
    filtered = await confinement.seccomp(a_sandbox())
    assert filtered.state is OFF and "privileges.filters_are_on" in filtered.detail
    network = await confinement.guest_network(a_sandbox())
    assert network.state is OFF and "network.tcp_outside" in network.detail


async def test_without_a_sandbox_its_controls_are_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: Settings) -> None:
        raise SandboxRefused("no sandbox works here", hint="install one")

    monkeypatch.setattr(confinement, "open_sandbox", refuse)
    found = {one.name: one for one in await confinement.confinement_controls(Settings())}
    off = ("sandbox", "seccomp", "network of guests")
    assert all(found[name].state is OFF and found[name].fix == "install one" for name in off)
