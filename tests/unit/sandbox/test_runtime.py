"""The runtime's layers: built once, whoever races; complete or not there at all."""

import multiprocessing
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError
from hammerstone.core.settings import Settings
from hammerstone.sandbox.runtime import add_packages, packages_present, prepare_runtime
from hammerstone.sandbox.runtime.packages import module_of
from hammerstone.sandbox.runtime.place import SYSTEM_RUNTIME, build_once, runtime_home


def _build(folder: str, log: str) -> None:
    def build(at: Path) -> None:
        with open(log, "a") as file:
            file.write("built\n")
        (at / "part").write_text("1")
        time.sleep(0.05)
        (at / "rest").write_text("2")

    target = build_once(Path(folder) / "layer", build)
    assert (target / "rest").read_text() == "2"


def test_processes_that_race_build_once(tmp_path):
    log = tmp_path / "log"
    context = multiprocessing.get_context("spawn")
    racers = [context.Process(target=_build, args=(str(tmp_path), str(log))) for _ in range(3)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert [racer.exitcode for racer in racers] == [0, 0, 0]
    assert log.read_text() == "built\n"


def test_a_failed_build_leaves_nothing(tmp_path):
    def build(at: Path) -> None:
        (at / "half").write_text("1")
        raise OSError(28, "No space left on device")

    with pytest.raises(DataDirectoryError, match="No space left"):
        build_once(tmp_path / "layer", build)
    assert [path.name for path in tmp_path.iterdir()] == [".layer.lock"]


def test_a_closed_home_is_not_used_for_roots_runtime(tmp_path):
    closed = tmp_path / "home"
    closed.mkdir(mode=0o700)
    # Only root's guests run as somebody else, who could not pass through.
    expected = SYSTEM_RUNTIME if os.getuid() == 0 else closed / "runtime"
    assert runtime_home(closed / "runtime") == expected


def test_a_link_into_a_closed_home_is_not_used_either():
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        (home / "closed" / "runtime").mkdir(parents=True)
        (home / "closed").chmod(0o700)
        link = home / "runtime"
        link.symlink_to(home / "closed" / "runtime")
        assert runtime_home(link) == (SYSTEM_RUNTIME if os.getuid() == 0 else link)
        (home / "closed").chmod(0o755)
        assert runtime_home(link) == link


async def test_python_runs_from_the_runtime_alone(tmp_path):
    runtime = await prepare_runtime(Settings(data_dir=tmp_path))
    root = runtime.root
    assert not (root / "usr/bin").exists() and not (root / "bin").exists()
    loader = next((root / "lib64").glob("ld-*"), None) or next((root / "lib").glob("ld-*"))
    libraries = next(root.rglob("libc.so*")).parent
    script = "import ssl, sqlite3, ctypes, zoneinfo, sys; print(sys.prefix)"
    command = [str(loader), "--library-path", str(libraries), str(root) + runtime.python]
    result = subprocess.run([*command, "-I", "-c", script], env={}, capture_output=True, text=True)
    assert result.stdout.strip() == f"{root}/opt/python", result.stderr


async def test_without_an_index_the_runtime_says_so_and_is_usable(tmp_path):
    settings = Settings(data_dir=tmp_path, sandbox_packages=["no-such-package-anywhere-1"])
    runtime = await prepare_runtime(settings)
    assert runtime.packages is None and not packages_present(settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("UV_OFFLINE", "1")
        runtime = await add_packages(settings, runtime)
    assert runtime.packages is None
    assert runtime.missing
    assert not packages_present(settings)


@pytest.mark.parametrize(
    ("package", "module"),
    [("numpy", "numpy"), ("numpy>=2,<3", "numpy"), ("python-docx==1.1", "docx"), ("A-b[x]", "a_b")],
)
def test_module_of_a_package(package, module):
    assert module_of(package) == module
