"""The product as an ordinary user: protected by Landlock, or by bubblewrap after the set-up."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import hammerstone
from hammerstone.core.settings import Settings
from hammerstone.sandbox.runtime import prepare_runtime
from hammerstone.sandbox.runtime.place import SYSTEM_RUNTIME

USER = 64_999
SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.errors import SandboxRefused
from hammerstone.core.settings import Settings
from hammerstone.sandbox import open_sandbox, sandbox_report

async def main():
    settings = Settings(data_dir=Path(sys.argv[1]), sandbox=sys.argv[2], sandbox_packages=[])
    try:
        sandbox = await open_sandbox(settings)
    except SandboxRefused as error:
        print(json.dumps({"refused": error.message, "hint": error.hint}))
        return
    fill = Program("def f(): return len(bytearray(200 << 20))", "f")
    outcome = await sandbox.call(fill, Call(), limits=Limits(memory_bytes=64 << 20))
    whoami = await sandbox.call(Program("import os\\ndef f(): return os.getuid()", "f"), Call())
    findings = {finding.name: finding.fix for finding in await sandbox_report(settings)}
    await sandbox.close()
    print(json.dumps({"backend": sandbox.backend, "memory": outcome.failure,
                      "uid": whoami.value, "findings": findings}))

asyncio.run(main())
"""


@pytest.fixture
async def as_user(tmp_path) -> "Iterator[callable]":
    """Runs the script as somebody without rights, with an interpreter that anybody may start."""
    if os.getuid() != 0:
        pytest.skip("cannot run here: only root can become another user")
    runtime = await prepare_runtime(Settings(data_dir=tmp_path))
    assert runtime.root.is_relative_to(SYSTEM_RUNTIME)
    libraries = next(runtime.root.rglob("libpython*.so*"), None) or next(
        runtime.root.rglob("libc.so*")
    )
    source = Path(hammerstone.__file__).parents[1]
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    for place in (source, packages):
        if subprocess.run(["test", "-r", place], user=USER, group=USER).returncode:
            pytest.skip(f"cannot run here: {place} is closed to other users")
    folder = Path(tempfile.mkdtemp())
    shutil.chown(folder, USER, USER)

    def run(backend: str) -> dict:
        result = subprocess.run(
            [f"{runtime.root}{runtime.python}", "-c", SCRIPT, str(folder), backend],
            user=USER,
            group=USER,
            extra_groups=[],
            cwd="/",
            env={
                "PYTHONPATH": f"{source}:{packages}",
                "LD_LIBRARY_PATH": str(libraries.parent),
                "PATH": "/usr/bin:/bin",
                "HOME": str(folder),
            },
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    yield run
    shutil.rmtree(folder)


def _v1_folders() -> list[Path]:
    top = Path("/sys/fs/cgroup")
    return [top / name for name in ("memory", "pids", "cpu", "cpuacct")]


@contextlib.contextmanager
def _set_up_for_user() -> Iterator[None]:
    """What the fix that `doctor` prints does, and back."""
    folders = [folder / "hammerstone" for folder in _v1_folders()]
    made = [folder for folder in folders if not folder.exists()]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        for path in (folder, folder / "cgroup.procs"):
            shutil.chown(path, USER)
    try:
        yield
    finally:
        for folder in folders:
            for path in (folder, folder / "cgroup.procs"):
                shutil.chown(path, 0)
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()


async def test_without_cgroup_rights_landlock_protects(as_user):
    answer = as_user("auto")
    assert answer["backend"] == "landlock", answer
    assert answer["memory"] == "memory"
    assert "cgroup" in answer["findings"]["limits by cgroup"]


async def test_bubblewrap_is_refused_with_the_command_that_helps(as_user):
    answer = as_user("bubblewrap")
    assert "cgroup" in answer["refused"]
    assert "chown" in answer["hint"] or "Delegate" in answer["hint"]


async def test_after_the_set_up_bubblewrap_works(as_user):
    if not all(folder.exists() for folder in _v1_folders()):
        pytest.skip("cannot run here: needs cgroup v1; v2 delegates through systemd")
    with _set_up_for_user():
        answer = as_user("auto")
    assert answer["backend"] == "bubblewrap", answer
    assert answer["memory"] == "memory"
    assert answer["uid"] != 0
