"""Completion in shells: scripts, names from the database, and nothing heavy on the way."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.clock import SystemClock
from hammerstone.core.settings import Settings
from hammerstone.serve.cli import completion
from hammerstone.serve.cli.main import app
from hammerstone.storage import Database
from hammerstone.storage.files.names import _QUERIES, FILE_NAME, stored_names

COMMAND = str(Path(sys.executable).with_name("hammerstone"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(shell: str) -> None:
    done = CliRunner().invoke(app, ["completion", shell])
    assert done.exit_code == 0 and "_HAMMERSTONE_COMPLETE" in done.stdout
    program = shutil.which(shell)
    if program:
        subprocess.run([program, "-n", "/dev/stdin"], input=done.stdout, text=True, check=True)


def test_the_names_of_policies_are_those_of_the_engine(tmp_path: Path) -> None:
    async def names() -> list[str]:
        async with Hammerstone.open(data_dir=tmp_path, embedder="off") as hs:
            return sorted(kind.name for kind in hs.policies.kinds)

    assert list(completion.POLICIES) == asyncio.run(names())
    assert completion.complete_policies("re") == ["repair", "request_budget"]


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with a session and a run, where the settings of a test look."""
    data = Path(os.environ["HAMMERSTONE_DATA_DIR"])

    async def make() -> None:
        from hammerstone.core.settings import load_settings

        db = await Database.open(load_settings())
        try:
            await db.sessions.create("local", "abc123", "Numbers \x1b[31m of May")
            now = SystemClock().now()
            await db.runs.start("run_1", "abc123", "local", "Is 97 prime?", "trace1", now)
        finally:
            await db.close()

    asyncio.run(make())
    return data / FILE_NAME


def test_stored_names_are_completed_with_what_a_person_knows_them_by(database: Path) -> None:
    assert completion.complete_sessions("ab") == [("abc123", "Numbers \\x1b[31m of May")]
    assert completion.complete_sessions("x") == []
    assert completion.complete_runs("run_") == [("run_1", "Is 97 prime?")]
    assert completion.complete_runs("run%") == []  # no pattern, a name


def test_every_kind_of_name_can_be_read(database: Path) -> None:
    none = Settings(data_dir=database.parent / "none")
    for kind in _QUERIES:
        assert isinstance(stored_names(Settings(data_dir=database.parent), kind, ""), list)
        assert stored_names(none, kind, "") == []


def test_a_damaged_database_completes_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    assert stored_names(Settings(data_dir=tmp_path), "tools", "") == []


def test_a_server_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://user:pw@localhost:9/x")
    assert completion.complete_tools("") == []


def test_completing_names_in_a_shell_loads_no_database_library(database: Path) -> None:
    env = {
        **os.environ,
        "_HAMMERSTONE_COMPLETE": "complete_bash",
        "COMP_WORDS": "hammerstone sessions show ab",
        "COMP_CWORD": "3",
        "PYTHONVERBOSE": "",
    }
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('HEAVY', *({'sqlalchemy', 'fastapi', 'numpy', 'alembic'}"
        " & set(sys.modules))))\n"
        "sys.argv = ['hammerstone']\n"
        "from hammerstone.serve.cli.main import main\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.stdout.splitlines() == ["abc123", "HEAVY"], done.stderr
