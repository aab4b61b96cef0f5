"""A skill with all its files, as the ledger keeps it to put it back."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage.stores.library.skills import SkillRow, SkillStore


@dataclass(frozen=True, slots=True)
class SkillContent:
    """What a skill says about itself, and the content of its files by path."""

    row: SkillRow
    files: Mapping[str, bytes]

    def to_json(self) -> JsonObject:
        row: dict[str, Json] = {
            name: getattr(self.row, name) for name in self.row.__slots__ if name != "at"
        }
        row["at"] = self.row.at.isoformat()
        files: dict[str, Json] = {
            path: base64.b64encode(content).decode("ascii") for path, content in self.files.items()
        }
        return {"row": row, "files": files}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "SkillContent":
        row: dict[str, Any] = {**data["row"], "at": datetime.fromisoformat(data["row"]["at"])}
        files = {path: base64.b64decode(text) for path, text in data["files"].items()}
        return SkillContent(SkillRow(**row), files)


async def read_content(store: SkillStore, row: SkillRow) -> SkillContent:
    """A stored skill with all its files."""
    files: dict[str, bytes] = {}
    for path in await store.files(row.name, row.tenant):
        content = await store.content(row.name, path, row.tenant)
        assert content is not None
        files[path] = content
    return SkillContent(row, files)


def findings_of(content: SkillContent | None) -> list[str]:
    """What a look at the files found, in words."""
    found = content.row.findings if content else []
    return [str(one.get("text", "")) for one in found if isinstance(one, dict)][:5]
