"""Names and ids for completion in a shell: read from the SQLite file, without anything heavy."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from hammerstone.core.settings import Settings

FILE_NAME = "hammerstone.db"
_PATIENCE_S = 0.2
_MOST = 200
# The name, and what a person knows it by.
_QUERIES = {
    "tools": "SELECT name, '' FROM tools WHERE name LIKE ? ESCAPE '!' ORDER BY name LIMIT ?",
    "skills": "SELECT DISTINCT name, '' FROM skills WHERE name LIKE ? ESCAPE '!' LIMIT ?",
    "sessions": (
        "SELECT id, title FROM sessions WHERE id LIKE ? ESCAPE '!' ORDER BY created_at DESC LIMIT ?"
    ),
    "runs": (
        "SELECT id, request FROM runs WHERE id LIKE ? ESCAPE '!' ORDER BY started_at DESC LIMIT ?"
    ),
    "traces": (
        "SELECT traces.id, COALESCE(runs.request, '') FROM traces "
        "LEFT JOIN runs ON runs.id = traces.run_id WHERE traces.id LIKE ? ESCAPE '!' "
        "ORDER BY traces.started_at DESC LIMIT ?"
    ),
    "approvals": "SELECT id, text FROM approvals WHERE id LIKE ? ESCAPE '!' AND "
    "status = 'pending' LIMIT ?",
    "proposals": "SELECT id, title FROM proposals WHERE id LIKE ? ESCAPE '!' ORDER BY "
    "changed_at DESC LIMIT ?",
}


def stored_names(settings: Settings, kind: str, beginning: str) -> list[tuple[str, str]]:
    """What begins so, newest or first of the alphabet first; nothing where it cannot be read."""
    file = _file(settings)
    if file is None or not file.is_file():
        return []
    address = f"file:{quote(str(file))}?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE_S)
        try:
            rows: Iterable[tuple[str, str]] = connection.execute(
                _QUERIES[kind], (f"{_literally(beginning)}%", _MOST)
            )
            return [(str(name), str(about or "")) for name, about in rows]
        finally:
            connection.close()
    except sqlite3.Error:
        return []


def _literally(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _file(settings: Settings) -> Path | None:
    """The SQLite file of these settings; None where the database is a server."""
    if settings.database_url is None:
        return None if settings.supabase_url else settings.data_dir / FILE_NAME
    kind, _, path = settings.database_url.get_secret_value().partition(":///")
    return Path(path) if kind.startswith("sqlite") else None
