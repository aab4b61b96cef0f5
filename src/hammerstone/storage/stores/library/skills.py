"""Agent Skills: what each says about itself, its text and its files."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, delete, insert, select, update

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage.access import Store, bump, columns_of, value_of
from hammerstone.storage.schema import skill_files, skills

REVISION = "skills"
TEXT, BINARY = "utf-8", "base64"

_KEY = (skills.c.tenant == bindparam("who")) & (skills.c.name == bindparam("which"))
_FILES_KEY = (skill_files.c.tenant == bindparam("who")) & (
    skill_files.c.skill == bindparam("which")
)
_ONE = select(skills).where(_KEY)
_HEADS = (
    select(
        skills.c.tenant,
        skills.c.name,
        skills.c.description,
        skills.c.front_matter,
        skills.c.space,
        skills.c.vector,
    )
    .where(skills.c.tenant == bindparam("who"))
    .order_by(skills.c.name)
)
_LISTING = (
    select(skill_files.c.path, skill_files.c.bytes).where(_FILES_KEY).order_by(skill_files.c.path)
)
_CONTENT = select(skill_files.c.encoding, skill_files.c.content).where(
    _FILES_KEY, skill_files.c.path == bindparam("where")
)


@dataclass(frozen=True, slots=True)
class SkillRow:
    """A skill without the content of its files."""

    tenant: str
    name: str
    description: str
    digest: str
    front_matter: JsonObject
    body: str
    findings: list[Json]
    source: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SkillHead:
    """What is needed to list and find a skill: all that is read while it is idle."""

    tenant: str
    name: str
    description: str
    front_matter: JsonObject
    space: str
    vector: NDArray[np.float32] | None


class SkillStore(Store):
    async def put(self, skill: SkillRow, files: Mapping[str, bytes]) -> None:
        """Store a skill with its files, in place of one of the same name."""
        row = columns_of(skill, space="", vector=None)
        rows = [_file_row(skill, path, content) for path, content in sorted(files.items())]
        key = {"who": skill.tenant, "which": skill.name}
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            await connection.execute(delete(skills).where(_KEY), key)
            await connection.execute(insert(skills), row)
            if rows:
                await connection.execute(insert(skill_files), rows)

    async def find(self, name: str, tenant: str = "") -> SkillRow | None:
        row = await self._mapping(_ONE, {"who": tenant, "which": name})
        if row is None:
            return None
        return value_of(SkillRow, row)

    async def heads(self, tenant: str = "") -> list[SkillHead]:
        """A tenant's skills by name, without text and files."""
        rows = await self._mappings(_HEADS, {"who": tenant})
        return [SkillHead(**row) for row in rows]

    async def files(self, name: str, tenant: str = "") -> dict[str, int]:
        """The paths of a skill's files and their sizes in bytes."""
        rows = await self._rows(_LISTING, {"who": tenant, "which": name})
        return {row.path: row.bytes for row in rows}

    async def content(self, name: str, path: str, tenant: str = "") -> bytes | None:
        """One file of a skill."""
        key = {"who": tenant, "which": name, "where": path}
        row = await self._row(_CONTENT, key)
        if row is None:
            return None
        content: str = row.content
        return base64.b64decode(content) if row.encoding == BINARY else content.encode("utf-8")

    async def set_vector(
        self, name: str, space: str, vector: Sequence[float], tenant: str = ""
    ) -> None:
        """Remember a skill's direction in a vector space; a skill that is gone stays gone."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            await connection.execute(
                update(skills)
                .where(skills.c.tenant == tenant, skills.c.name == name)
                .values(space=space, vector=np.asarray(vector, "<f4"))
            )

    async def remove(self, name: str, tenant: str = "") -> bool:
        """Delete a skill and its files; False when there was none."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            gone = await connection.execute(
                delete(skills).where(_KEY), {"who": tenant, "which": name}
            )
        return gone.rowcount > 0

    async def revision(self) -> int:
        """A number that grows with every change of any skill."""
        return await self._revision(REVISION)


def _file_row(skill: SkillRow, path: str, content: bytes) -> dict[str, object]:
    try:
        encoding, text = TEXT, content.decode("utf-8")
    except UnicodeDecodeError:
        encoding, text = BINARY, base64.b64encode(content).decode("ascii")
    return {
        "tenant": skill.tenant,
        "skill": skill.name,
        "path": path,
        "bytes": len(content),
        "encoding": encoding,
        "content": text,
    }
