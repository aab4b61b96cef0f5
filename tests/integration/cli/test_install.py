"""The wheel as a stranger gets it: installed without the repository, and it works."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.integration.cli.screens import without_model

ROOT = Path(__file__).parents[3]
# What is no Python and has to be in the wheel all the same.
DATA = (
    "hammerstone/prompts/solve.md",
    "hammerstone/serve/web/index.html",
    "hammerstone/run/solve/calibration.json",
    "hammerstone/library/starter/is_prime/tool.py",
    "hammerstone/storage/migrations/",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; what it needs of others comes from the one that tests."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*command, "--no-index", "-q", str(wheel)], check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(installed: Path, data: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | without_model(data)
    return subprocess.run(
        [str(installed / "bin" / "hammerstone"), *words],
        cwd=data.parent,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_the_wheel_holds_what_is_needed_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for wanted in DATA:
        assert any(name.startswith(wanted) for name in names), wanted
    inside = [name for name in names if not name.startswith(("hammerstone/", "hammerstone-"))]
    assert inside == []
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_it_works_without_the_repository(installed: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    where = "import hammerstone; print(hammerstone.__file__)"
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    python = [str(installed / "bin" / "python"), "-c", where]
    found = subprocess.run(python, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert Path(found.stdout.strip()).is_relative_to(installed), found.stderr
    helped = run(installed, data, "--help")
    assert helped.returncode == 0 and "Usage: hammerstone" in helped.stdout
    report = json.loads(run(installed, data, "doctor", "--json").stdout)
    findings = {finding["name"]: finding["ok"] for finding in report["findings"]}
    assert findings["database"] and findings["sandbox"]
    asked = run(installed, data, "ask", "is_prime 97", "--json")
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["result"] is True
    left = json.loads(run(installed, data, "uninstall", "--json").stdout)
    assert left["stopped"] == [] and str(data) in left["folders"]
