"""The shape of the code: names, folders, complexity, and what one request passes through.

    python -m evals.house [--set instant|quick|full] [--json]

Counts are of `src/hammerstone`. Names fixed by a convention (`__init__`, migrations) and the
starter tools, which are data, do not count as names. The files of a request are traced while a
tool of a fresh library is reused (`evals.reuse_files`): until its answer is there, by layer, those
that decide something, and what only its record passes afterwards; `returns` says how often it comes
back to a file it had left.
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

from evals import reuse_files
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hammerstone"
MOST_COMPLEX, MOST_PARAMETERS, MOST_FIELDS, MOST_NAMES = 10, 6, 15, 12
_RUNS = 5
_KINDS = {".py": "Python", ".js": "web pages", ".css": "web pages", ".mjs": "libraries of the web"}
RULES = {
    "names_twice": "no public class name twice",
    "files_of_one_name": "no file name twice within a layer",
    "complexity_over_10": "no function more complex than 10",
    "parameters_over_6": "no function with more than 6 parameters",
    "fields_over_15": "no class with more than 15 fields",
    "crowded_folders": "at most a dozen names a folder of library, storage, synthesis, serve/cli",
}
_APART = ("starter", "versions", "migrations")
# Files that are named after the noun, the table or the interface they serve, in each of these.
_BY_CONVENTION = (
    "sandbox/guest/",
    "sandbox/bubblewrap/",
    "sandbox/container/",
    "sandbox/landlock/",
    "serve/cli/",
    "storage/schema/",
)


def modules(folder: Path = SOURCE) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if not set(_APART) & set(path.parts))


def names_twice() -> dict[str, list[str]]:
    """Public class names that are defined in more than one module."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(_name(path))
    return {name: where for name, where in sorted(homes.items()) if len(where) > 1}


def files_of_one_name() -> dict[str, list[str]]:
    """File names that occur more than once within a layer."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in modules():
        inside = path.relative_to(SOURCE)
        fixed = path.name == "__init__.py" or _name(path).startswith(_BY_CONVENTION)
        if len(inside.parts) > 1 and not fixed:
            found[inside.parts[0], path.name].append(_name(path))
    return {f"{layer}: {name}": homes for (layer, name), homes in found.items() if len(homes) > 1}


def _name(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def crowded_folders() -> dict[str, list[str]]:
    """Folders of these layers with more names than one can take in."""
    found: dict[str, list[str]] = {}
    for layer in ("library", "storage", "synthesis", "serve/cli"):
        for init in sorted((SOURCE / layer).rglob("__init__.py")):
            folder = init.parent
            inside = [path for path in folder.iterdir() if (path / "__init__.py").exists()]
            inside += [path for path in folder.glob("*.py") if path != init]
            if len(inside) > MOST_NAMES and not set(_APART) & set(folder.parts):
                found[_name(folder)] = sorted(path.stem for path in inside)
    return found


def folders() -> dict[str, dict[str, int]]:
    """Files and lines of each layer."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: {"files": 0, "lines": 0})
    for path in sorted(SOURCE.rglob("*.py")):
        inside = path.relative_to(SOURCE)
        layer = inside.parts[0] if len(inside.parts) > 1 else "."
        counts[layer]["files"] += 1
        counts[layer]["lines"] += _lines(path)
    return dict(counts)


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def too_complex() -> list[str]:
    """Functions whose cyclomatic complexity is over ten, as ruff counts it."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "C901", "--isolated"]
    options = ["--config", f"lint.mccabe.max-complexity={MOST_COMPLEX}", "--output-format", "json"]
    ran = subprocess.run([*command, *options, str(SOURCE)], capture_output=True, text=True)
    found: list[dict[str, Any]] = json.loads(ran.stdout or "[]")
    return [f"{_name(Path(one['filename']))}: {one['message'].split('`')[1]}" for one in found]


def _functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def many_parameters() -> list[str]:
    found: list[str] = []
    for path, node in _functions():
        takes = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        own = [one for one in takes if one.arg not in ("self", "cls")]
        if len(own) > MOST_PARAMETERS and "cli" not in path.parts:
            found.append(f"{_name(path)}: {node.name} ({len(own)})")
    return found


def many_fields() -> list[str]:
    found: list[str] = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                fields = [one for one in node.body if _is_field(one)]
                if len(fields) > MOST_FIELDS:
                    found.append(f"{_name(path)}: {node.name} ({len(fields)})")
    return found


def _is_field(node: ast.stmt) -> bool:
    """Whether it belongs to each object, and not to the class."""
    return isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation)


def late_imports() -> int:
    """Imports inside functions, outside the command line, which loads what a command needs."""
    count = 0
    for path, node in _functions():
        if "cli" not in path.parts:
            count += sum(isinstance(one, ast.Import | ast.ImportFrom) for one in ast.walk(node))
    return count


def casts() -> int:
    return sum(len(re.findall(r"\bcast\(", path.read_text("utf-8"))) for path in modules())


def test_ratio() -> float:
    """Lines of tests for each line of source."""
    tests = sum(map(_lines, (ROOT / "tests").rglob("*.py")))
    return round(tests / sum(map(_lines, SOURCE.rglob("*.py"))), 3)


def import_seconds() -> float:
    """What importing the engine adds to starting Python, the best of several runs."""
    with_it = min(_timed("import hammerstone.app.hammerstone") for _ in range(_RUNS))
    return round(with_it - min(_timed("pass") for _ in range(_RUNS)), 3)


def _timed(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    return time.perf_counter() - began


def wheel_bytes() -> dict[str, Any]:
    """The wheel, what it unpacks to, and the wheel without some of it: without the embedded
    model's adapters and the tests of starter tools, and without the adapters and starter tools.
    Of the first of these two, what each kind of file takes; the names of the files are apart."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", folder, str(ROOT)]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            parts = archive.infolist()
        whole = wheel.stat().st_size
        models = sum(map(_in_archive, (one for one in parts if one.filename.endswith(".gguf"))))
        starter = [one for one in parts if "/starter/" in one.filename]
        tests = [one for one in starter if "/test_" in one.filename]
        counted = [one for one in parts if one not in tests and not one.filename.endswith(".gguf")]
        return {
            "wheel": whole,
            "installed": sum(one.file_size for one in parts),
            "wheel_without_models": whole - models - sum(map(_in_archive, tests)),
            "wheel_without_starter": whole - models - sum(map(_in_archive, starter)),
            "wheel_by_kind": _by_kind(counted),
        }


def _by_kind(parts: list[zipfile.ZipInfo]) -> dict[str, int]:
    """The bytes of the contents by kind, and of what says which files there are."""
    kinds = Counter[str]()
    for part in parts:
        record = part.filename.endswith(".dist-info/RECORD")
        kind = "names" if record else _KINDS.get(Path(part.filename).suffix, "data")
        kinds[kind] += part.compress_size
        kinds["names"] += _in_archive(part) - part.compress_size
    return dict(kinds.most_common())


def _in_archive(part: zipfile.ZipInfo) -> int:
    """The bytes that a file takes in an archive, its two headers included."""
    return part.compress_size + 30 + 46 + 2 * len(part.filename.encode())


def measure(*, wheel: bool = True) -> dict[str, Any]:
    return {
        "folders": folders(),
        "names_twice": names_twice(),
        "files_of_one_name": files_of_one_name(),
        "complexity_over_10": too_complex(),
        "parameters_over_6": many_parameters(),
        "fields_over_15": many_fields(),
        "crowded_folders": crowded_folders(),
        "late_imports": late_imports(),
        "casts": casts(),
        "test_ratio": test_ratio(),
        **reuse_files.measure(),
        "import_s": import_seconds(),
        **(wheel_bytes() if wheel else {}),
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each rule of the house as a case; its counts as numbers."""
    found = await own_process(measure, wheel=amount(context, instant=False, quick=False, full=True))
    for name, rule in RULES.items():
        broken = found[name]
        listed = broken if isinstance(broken, list) else [f"{k}: {v}" for k, v in broken.items()]
        yield case(
            name.replace("_", " "), not broken, wanted=rule, given="\n".join(map(str, listed))
        )
    lines = sum(one["lines"] for one in found["folders"].values())
    yield lower("lines of source", lines, "count")
    yield higher("lines of tests for each of source", found["test_ratio"], "ratio")
    yield lower("late imports", found["late_imports"], "count")
    yield lower("casts", found["casts"], "count")
    yield lower("files that a reuse passes", found["reuse_files"], "count")
    to_answer = found["reuse_files_to_the_answer"]
    yield lower("files that a reuse passes to its answer", to_answer, "count")
    other = found["reuse_files_in_other_words"]
    yield lower("files that a reuse in new words passes to its answer", other, "count")
    for layer, files in found["reuse_files_by_layer"].items():
        yield lower(f"of these in {layer}", files, "count")
    deciding = found["reuse_files_that_decide"]
    yield lower("files to the answer in which something is decided", deciding, "count")
    yield lower("a reuse, median", found["reuse_p50_ms"], "ms")
    yield lower("calls of functions in a reuse, its record included", found["reuse_calls"], "count")
    yield lower("returns to a file it had left", found["reuse_returns"], "count")
    yield lower("importing the engine", found["import_s"], "s")
    if "wheel" in found:
        yield lower("the wheel", found["wheel"] / 1e6, "MB")
        without = found["wheel_without_models"] / 1e6
        yield lower("the wheel without model files and tests of starter tools", without, "MB")
        without = found["wheel_without_starter"] / 1e6
        yield lower("the wheel without model files and starter tools", without, "MB")


if __name__ == "__main__":
    measured("house")
