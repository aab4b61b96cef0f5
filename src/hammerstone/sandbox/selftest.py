"""Proof at start that the controls hold: the fast attacks, once a boot for each backend."""

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hammerstone.core.errors import SandboxRefused
from hammerstone.core.folders import make_private
from hammerstone.core.settings import Settings
from hammerstone.sandbox.sandbox import GuestSandbox
from hammerstone.tracing import span

RESULT_FILE = "sandbox-selftest.json"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACES = Path("/proc/self/ns")


async def self_test(sandbox: GuestSandbox, settings: Settings) -> None:
    """Raises `SandboxRefused` unless every fast attack is contained, now or earlier this boot."""
    from hammerstone.sandbox.conformance import FAST, run_probes

    path = settings.data_dir / RESULT_FILE
    circumstances = _circumstances(sandbox.backend)
    if _read(path).get(sandbox.backend) == circumstances:
        return
    # One span for all of it: without it, the attacks read as if the request made them.
    with span("self-test of the sandbox", kind="step"):
        report = await run_probes(sandbox, only=FAST)
    if report.breaches:
        first = report.breaches[0]
        raise SandboxRefused(
            f"the self-test of {sandbox.backend} failed: {first.name}: {first.detail}",
            hint="`hammerstone sandbox check` shows every attack; `hammerstone doctor` the fixes",
            breaches=[result.name for result in report.breaches],
        )
    _write(path, {**_read(path), sandbox.backend: circumstances})


def proved_at(settings: Settings, backend: str) -> datetime | None:
    """When a backend last passed, if that still counts; None when it has to be tested again."""
    path = settings.data_dir / RESULT_FILE
    if _read(path).get(backend) != _circumstances(backend):
        return None
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None


def _circumstances(backend: str) -> str:
    """What the proof holds for: this boot, kernel, user, container, bwrap and our own code."""
    digest = hashlib.sha256(f"{backend} {os.uname().release} {os.getuid()}".encode())
    with contextlib.suppress(OSError):
        digest.update(_BOOT_ID.read_bytes())
    for kind in ("user", "pid", "cgroup"):
        with contextlib.suppress(OSError):
            digest.update(str((_NAMESPACES / kind).readlink()).encode())
    if bwrap := shutil.which("bwrap", path="/usr/bin:/bin:" + os.environ.get("PATH", "")):
        digest.update(f"{bwrap} {Path(bwrap).stat().st_mtime_ns}".encode())
    folder = Path(__file__).parent
    for path in sorted((*folder.rglob("*.py"), *folder.rglob("*.bpf"))):
        info = path.stat()
        digest.update(f"{path.relative_to(folder)} {info.st_size} {info.st_mtime_ns}".encode())
    return digest.hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write(path: Path, results: dict[str, Any]) -> None:
    """Kept if it can be; without it the next start only tests again."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        make_private(path.parent)
        aside.write_text(json.dumps(results))
        aside.replace(path)
