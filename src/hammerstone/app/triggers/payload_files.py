"""Files that a webhook's payload brings along, in the form in which answers take files out."""

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.json_types import Json, is_dict, is_list

_MOST_FILES = 20
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class PayloadFile:
    name: str
    content: bytes

    def written(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = folder / self.name
        place.write_bytes(self.content)
        return place


@dataclass(frozen=True, slots=True)
class BadFiles:
    """Files that cannot be taken, and why."""

    why: str


def payload_files(payload: Json) -> list[PayloadFile] | BadFiles:
    """The files under `files` of a payload: objects with `name` and `content_base64`."""
    listed = payload.get("files") if is_dict(payload) else None
    if listed is None:
        return []
    if not is_list(listed) or len(listed) > _MOST_FILES:
        return BadFiles(f"files of a payload are a list of at most {_MOST_FILES}")
    found: dict[str, PayloadFile] = {}
    for one in listed:
        if not is_dict(one) or not isinstance(one.get("name"), str):
            return BadFiles("each file of a payload has a name and content_base64")
        name = Path(str(one["name"]).replace("\\", "/")).name.lstrip(".")
        if not name or len(name.encode()) > _LONGEST_NAME or not name.isprintable():
            return BadFiles("a file of the payload has no name that can be used")
        if name in found:
            return BadFiles(f"two files of the payload are called {name}")
        content = _decoded(one.get("content_base64"))
        if content is None:
            return BadFiles(f"the content of {name} is not base64")
        found[name] = PayloadFile(name, content)
    return list(found.values())


def _decoded(content: Json) -> bytes | None:
    if not isinstance(content, str):
        return None
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        return None
