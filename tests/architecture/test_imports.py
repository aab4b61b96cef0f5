"""Habits turned into tests: what is imported when, and how large files get."""

import ast
import subprocess
import sys
from pathlib import Path

import hammerstone

ROOT = Path(hammerstone.__file__).parent
HEAVY = ("pydantic", "sqlalchemy", "numpy", "onnxruntime", "fastapi", "httpx", "rich", "alembic")


def _loaded(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not _loaded("import hammerstone") & set(HEAVY)


def test_the_command_line_loads_nothing_heavy_before_a_command_runs() -> None:
    heavy = set(HEAVY) - {"rich"}  # Typer itself may load rich for its help
    assert not _loaded("import hammerstone.serve.cli.main") & heavy


def _loaded_by(*words: str) -> set[str]:
    """What a command that only tells something loads."""
    return _loaded(
        f"import sys; sys.argv = ['hammerstone', *{words!r}]\n"
        "from hammerstone.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )


def test_the_version_is_told_without_the_command_line() -> None:
    assert not _loaded_by("--version") & {"typer", "asyncio", "email", *HEAVY}


def test_help_is_told_without_what_commands_do() -> None:
    heavy = set(HEAVY) - {"rich"}
    assert not _loaded_by("--help") & heavy
    assert not _loaded_by("tools", "--help") & {"asyncio", *heavy}


def test_the_engine_loads_no_clients_and_no_other_database() -> None:
    """They are loaded when something outside is asked, or by the settings that name them."""
    unused = {"httpx", "rich", "click", "jsonschema", "onnxruntime", "alembic", "mcp", "fastapi"}
    loaded = _loaded("import hammerstone.app.hammerstone")
    assert not loaded & {*unused, "sqlalchemy.dialects.postgresql"}


def test_public_names_exist() -> None:
    for name in hammerstone.__all__:
        assert getattr(hammerstone, name) is not None


def test_no_file_grows_beyond_what_one_can_read() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in ROOT.rglob("*.py")
        if (lines := len(path.read_text("utf-8").splitlines())) > 400
    }
    assert not long


def test_only_the_registry_moves_the_active_pointer() -> None:
    movers = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if ".move_active(" in path.read_text("utf-8")
    }
    assert movers == {"library/tools/registry.py"}


def test_sql_lives_in_storage_only() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "import sqlalchemy" in (text := path.read_text("utf-8")) or "from sqlalchemy" in text
    }
    assert all(path.startswith("storage/") for path in users)


def test_generated_code_is_never_executed_in_this_process() -> None:
    allowed = {"sandbox/guest"}  # what runs inside the sandbox
    found = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("exec", "eval")
    }
    assert all(any(path.startswith(one) for one in allowed) for path in found), found
