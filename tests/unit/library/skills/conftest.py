"""Skills on a real SQLite file, and folders to import."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.library.policies import Policies
from hammerstone.library.skills import SkillPolicy, Skills
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

HEAD = "---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}\n"


def skill_text(
    name: str, description: str = "Counts words.", more: str = "", body: str = "# How\n"
) -> str:
    return HEAD.format(name=name, description=description, more=more, body=body)


def write_skill(folder: Path, text: str | None = None, **files: str | bytes) -> Path:
    """A skill's folder; a file's name is its path with `__` for `/` and `___` for `.`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text or skill_text(folder.name), "utf-8")
    for key, content in files.items():
        path = folder / key.replace("___", ".").replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open_url(f"sqlite:///{tmp_path}/library.db")
    yield database
    await database.close()


@pytest.fixture
def policies(db: Database) -> Policies:
    return Policies(db, (SkillPolicy,))


@pytest.fixture
def skills(db: Database, policies: Policies) -> Skills:
    return Skills(db, HashedEmbedder(), policies, SystemClock())
