"""The packages layer: what generated code may import besides the standard library."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Packages whose modules have another name.
_MODULES = {"pillow": "PIL", "python-docx": "docx", "python-pptx": "pptx", "pyyaml": "yaml"}
_IMPORT = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
# A name, extras, versions. No path and no address: these are built here, outside of any sandbox.
_NAMED = re.compile(r"[A-Za-z0-9][\w.-]*\s*(\[[\w\s,.-]+\])?\s*([<>=!~][\w\s<>=!~,.*+-]*)?")
_INSTALL_WALL_S = 900.0


class PackagesUnavailable(Exception):
    """They could not be installed: no index, no installer, or a name that does not exist."""


def module_of(package: str) -> str:
    """The name that code imports: `numpy` for "numpy>=2", `docx` for "python-docx"."""
    name = re.split(r"[\s<>=!~;\[@]", package.strip(), maxsplit=1)[0].lower()
    return _MODULES.get(name, name.replace("-", "_"))


def imported(source: str, modules: frozenset[str]) -> frozenset[str]:
    """Those of `modules` that the source imports by a statement of its own."""
    return modules.intersection(_IMPORT.findall(source)) if source else frozenset[str]()


def install_packages(target: Path, packages: list[str]) -> None:
    """Install into `target`; raises `PackagesUnavailable` with the installer's last words."""
    for package in packages:
        if not _NAMED.fullmatch(package.strip()):
            raise PackagesUnavailable(f"{package!r} is not the name of a package")
    problems: list[str] = []
    for command in _installers(target):
        try:
            result = subprocess.run(
                [*command, "--", *packages],
                capture_output=True,
                text=True,
                timeout=_INSTALL_WALL_S,
                cwd="/",  # a file of a package's name where we happen to be is not that package
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            problems.append(str(error))
            continue
        if result.returncode == 0:
            _slim(target)
            subprocess.run(["chmod", "-R", "u+rwX,go+rX,go-w", str(target)], check=True)
            return
        problems.append((result.stderr or result.stdout).strip()[-500:])
    raise PackagesUnavailable("; ".join(problems) or "neither uv nor pip can be found")


def _installers(target: Path) -> list[list[str]]:
    """Wheels only: a source package's build script would run here, outside of any sandbox."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input"]
    pip += ["--disable-pip-version-check", "--only-binary", ":all:", "--target", str(target)]
    uv = shutil.which("uv")
    if uv is None:
        return [pip]
    with_uv = [uv, "pip", "install", "--quiet", "--python", sys.executable]
    with_uv += [
        "--only-binary",
        ":all:",
        "--compile-bytecode",
        "--link-mode",
        "copy",
        "--target",
        str(target),
    ]
    return [with_uv, pip]


def _slim(target: Path) -> None:
    """Without the packages' own test suites: a third of the size."""
    for folder in sorted(target.rglob("tests")):
        keep = {"numpy/testing/tests", "_pytest"}
        if folder.is_dir() and str(folder.relative_to(target)) not in keep:
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(target / "bin", ignore_errors=True)
    for folder, _, names in os.walk(target):
        for name in names:
            if name.endswith((".pyi", ".c", ".h")):
                (Path(folder) / name).unlink(missing_ok=True)


# What most generated code imports.
_COMMON = """
collections copy csv dataclasses datetime decimal enum fractions functools hashlib heapq itertools
json math operator random re statistics string textwrap typing unicodedata shutil tempfile
traceback io bisect calendar zoneinfo ast inspect
"""

# What a package loads later, on first use, but for each process anew.
_DEEPER = {
    "matplotlib": "matplotlib.pyplot matplotlib.backends.backend_agg",
    "openpyxl": "openpyxl.workbook openpyxl.writer.excel openpyxl.reader.excel gzip zipfile",
    "reportlab": "reportlab.pdfgen.canvas reportlab.platypus reportlab.lib.styles",
    "pytest": """
        _pytest.assertion _pytest.assertion.rewrite _pytest.assertion.util _pytest.cacheprovider
        _pytest.capture _pytest.config _pytest.debugging _pytest.doctest _pytest.faulthandler
        _pytest.fixtures _pytest.helpconfig _pytest.junitxml _pytest.legacypath _pytest.logging
        _pytest.main _pytest.mark _pytest.monkeypatch _pytest.nodes _pytest.pastebin
        _pytest.python _pytest.python_api _pytest.raises _pytest.recwarn _pytest.reports
        _pytest.runner _pytest.setuponly _pytest.setupplan _pytest.skipping _pytest.stepwise
        _pytest.subtests _pytest.terminal _pytest.threadexception _pytest.tmpdir _pytest.unittest
        _pytest.unraisableexception _pytest.warnings _pytest._argcomplete
        hypothesis hypothesis.statistics hypothesis.internal.detection _hypothesis_pytestplugin
        pdb faulthandler queue readline gzip contextvars
    """,
}


def modules_for(packages: frozenset[str]) -> tuple[str, ...]:
    """What a server for programs that import `packages` loads, in order, so that no guest has to.

    A module loaded here costs memory once a server; one loaded by a guest costs its import at each
    call, at half a core.
    """
    deeper = " ".join(_DEEPER.get(package, "") for package in sorted(packages))
    return (*_COMMON.split(), *sorted(packages), *deeper.split())
