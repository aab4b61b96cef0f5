"""SQLite's files are opened by SQLite alone: one open beside it destroyed whole libraries."""

import ast
import os
import sys
from pathlib import Path

import pytest

import hammerstone
from hammerstone.storage import Database
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.recovery import pages
from tests.raw_opens import RAW_OPENS

ROOT = Path(hammerstone.__file__).parent
OPENERS = {
    *("fdopen", "read_bytes", "read_text", "write_bytes", "write_text", "copy2", "copyfile"),
    *("copytree", "file_digest", "sendfile", "mmap", "touch", "truncate"),
}
# Files of storage/ that open something, and what that is.
MAY_OPEN = {
    "storage/files/backups/contents.py": "files beside the database, and a backup's manifest",
    "storage/files/backups/restoring.py": "a backup's files",
    "storage/files/half_restored.py": "a note that a backup is being put in place",
    "storage/files/hold.py": "the file that the lock is on",
    "storage/files/location.py": "a file that does not exist yet, exclusively",
    "storage/files/recovery/pages.py": "a damaged database, alone with it and without a connection",
    "storage/files/recovery/rebuild.py": "the new file of rows that were left out",
    "storage/files/transfer/archive.py": "exports",
    "storage/files/transfer/export.py": "exports",
    "storage/files/transfer/load.py": "exports",
    "storage/shared_time.py": "the kernel's name of this machine's start",
}


def _calls(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                names.add(called.attr)
            elif isinstance(called, ast.Name):
                names.add(called.id)
    return names


def test_files_are_opened_in_few_places_of_storage() -> None:
    opening = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "storage").rglob("*.py")
        if _calls(path) & OPENERS or _opens_a_file(path)
    }
    assert opening == set(MAY_OPEN)


def _opens_a_file(path: Path) -> bool:
    """`open(...)`, `os.open(...)`, `x.open("rb")`: not `Database.open` and the like."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id == "open":
            return True
        if isinstance(called, ast.Attribute) and called.attr == "open":
            owner = called.value
            if isinstance(owner, ast.Name) and owner.id in ("os", "io", "tarfile"):
                return True
            if not node.args or {word.arg for word in node.keywords} & {"mode", "encoding"}:
                return True
            modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
            if any(isinstance(mode, str) and set(mode) <= set("rwabx+t") for mode in modes):
                return True
    return False


def test_nothing_above_storage_knows_where_the_file_is() -> None:
    knowing = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "location.file" in (text := path.read_text("utf-8")) or "hammerstone.db" in text
    }
    above = {path for path in knowing if not path.startswith("storage/")}
    assert above == {"serve/cli/data/db_repair.py"}


def test_make_file_creates_and_never_opens_what_is_there() -> None:
    text = (ROOT / "storage" / "files" / "location.py").read_text("utf-8")
    opens = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "os.open"
    ]
    assert opens and all("O_EXCL" in one for one in opens)


async def test_an_open_beside_sqlite_is_noticed(tmp_path: Path) -> None:
    """That the watch over all tests sees what once destroyed a database."""
    file = tmp_path / "hammerstone.db"
    database = await Database.open_url(f"sqlite:///{file}")
    code = "def make_ready(file):\n    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))"
    names: dict[str, object] = {"os": os}
    exec(
        compile(code, str(ROOT / "storage" / "files" / "location.py"), "exec"), names
    )  # our own text
    with pytest.raises(AssertionError, match="opened"):
        names["make_ready"](file)  # type: ignore[operator]
    assert len(RAW_OPENS) == 1
    RAW_OPENS.clear()
    await database.close()


async def test_pages_are_not_read_beside_a_connection(tmp_path: Path) -> None:
    file = tmp_path / "hammerstone.db"
    database = await Database.open_url(f"sqlite:///{file}")
    shared = await Hold.take(file)
    with pytest.raises(ValueError, match="everybody out"):
        pages.PageFile(shared)
    shared.release()
    await database.close()


def test_one_sqlite_library_in_the_process() -> None:
    """Two copies of SQLite in one process do not know of each other's descriptors."""
    import aiosqlite  # noqa: F401

    assert not {"apsw", "pysqlite3", "sqlcipher3"} & set(sys.modules)
