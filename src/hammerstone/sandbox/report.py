"""What this machine offers for sandboxes, one finding a line, each with the command that helps."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import SandboxError, SandboxRefused
from hammerstone.core.settings import Settings

ISOLATES = {
    "bubblewrap": "own file system, processes, network and users, limits by cgroup",
    "landlock": "one process without network or children, files by Landlock's rules",
    "container": "a container without network, root or capabilities, read-only",
}
"""What each backend keeps apart, in a few words."""


@dataclass(frozen=True, slots=True)
class BackendFinding:
    """One thing a person can check and mend; `needed` says whether code can run without it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    needed: bool = False


async def sandbox_report(settings: Settings) -> list[BackendFinding]:
    """Findings for `doctor`: the parts, then which backend really opens."""
    findings = [_bubblewrap(), _user_namespaces(), cgroup_finding(), _packages(settings)]
    return [*findings, await _opens(settings)]


def _bubblewrap() -> BackendFinding:
    name = "bubblewrap"
    path = shutil.which("bwrap", path=f"{os.environ.get('PATH', '')}:/usr/bin:/bin")
    if path is None:
        return BackendFinding(name, False, "not installed", "sudo apt-get install bubblewrap")
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5)
        return BackendFinding(name, True, f"{result.stdout.strip() or path}")
    except (OSError, subprocess.TimeoutExpired) as error:
        return BackendFinding(
            name, False, str(error), "sudo apt-get install --reinstall bubblewrap"
        )


def _user_namespaces() -> BackendFinding:
    name = "user namespaces"
    switches = {
        "/proc/sys/user/max_user_namespaces": (
            "0",
            "sudo sysctl -w user.max_user_namespaces=10000",
        ),
        "/proc/sys/kernel/unprivileged_userns_clone": (
            "0",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    }
    for path, (closed, fix) in switches.items():
        file = Path(path)
        if file.exists() and file.read_text().strip() == closed:
            return BackendFinding(name, False, f"{path} is {closed}", fix)
    return BackendFinding(name, True, "allowed (the sandbox needs them)")


def cgroup_finding() -> BackendFinding:
    """Whether memory, processes and CPU of a whole process tree can be capped here."""
    from hammerstone.sandbox.bubblewrap.opening import cgroup_tree

    name = "limits by cgroup"
    try:
        tree = cgroup_tree()
    except SandboxRefused as error:
        return BackendFinding(name, False, error.message, error.hint)
    return BackendFinding(
        name, True, f"memory, processor and processes can be limited (cgroup v{tree.version})"
    )


def _packages(settings: Settings) -> BackendFinding:
    from hammerstone.sandbox.runtime import packages_present

    name = "packages for tools"
    wanted = ", ".join(settings.sandbox_packages) or "none wanted"
    try:
        present = packages_present(settings)
    except Exception as error:
        return BackendFinding(name, False, str(error), "set HAMMERSTONE_DATA_DIR")
    if present:
        return BackendFinding(name, True, wanted)
    detail = f"not installed yet ({wanted}); the first tool that needs one takes longer"
    return BackendFinding(name, False, detail, "hammerstone sandbox setup")


async def _opens(settings: Settings) -> BackendFinding:
    from hammerstone.sandbox.opening import open_sandbox

    name = "sandbox"
    try:
        sandbox = await open_sandbox(settings)
    except SandboxError as error:
        return BackendFinding(name, False, error.message, error.hint, needed=True)
    gaps = sandbox.known_gaps
    detail = f"{sandbox.backend}, self-test passed"
    if gaps:
        detail += f", {len(gaps)} known gaps: {', '.join(gaps)}"
    await sandbox.close()
    return BackendFinding(name, True, detail, needed=True)
