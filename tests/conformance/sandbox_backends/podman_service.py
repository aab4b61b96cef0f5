"""A Podman of our own for the tests: own storage, own socket, gone afterwards."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

# The machine's own defaults may want systemd, crun or a journal that are not there.
OPTIONS = ["--cgroup-manager", "cgroupfs", "--runtime", "runc", "--events-backend", "file"]


@contextlib.contextmanager
def podman_service():
    """The address of a running service; skips when there can be none."""
    if shutil.which("podman") is None or shutil.which("runc") is None:
        pytest.skip("cannot run here: podman and runc are not installed (apt-get install)")
    if os.getuid() != 0:
        pytest.skip("cannot run here: the tests use Podman as root")
    home = Path(tempfile.mkdtemp(prefix="hs-podman-"))
    address = f"unix://{home}/socket"
    podman = ["podman", "--root", f"{home}/root", "--runroot", f"{home}/run"]
    podman += ["--storage-driver", "overlay", *OPTIONS]
    with (home / "log").open("wb") as log:
        service = subprocess.Popen(
            [*podman, "system", "service", "--time=0", address],
            stdout=log,
            stderr=log,
            cwd=home,  # conmon leaves a file named oom where it is started
            start_new_session=True,
        )
    try:
        _wait_for(home, service)
        yield address
    finally:
        service.terminate()
        service.wait(20)
        for place in ("root/overlay", "root", "run"):  # what the service itself mounted
            subprocess.run(["umount", "--quiet", f"{home}/{place}"], capture_output=True)
        shutil.rmtree(home, ignore_errors=True)


def _wait_for(home, service):
    for _ in range(500):
        if (home / "socket").exists():
            return
        if service.poll() is not None:
            break
        time.sleep(0.02)
    reason = (home / "log").read_text()[-300:]
    pytest.skip(f"cannot run here: podman does not start: {reason}")
