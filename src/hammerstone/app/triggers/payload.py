"""What a webhook's payload brings: values that are put into a request's text, as data, and files in
the form in which answers take files out."""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, is_dict, is_list
from hammerstone.guard.data import as_data

_PLACE = re.compile(r"\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)\}")
_LONGEST_VALUE = 20_000

_MOST_FILES = 20
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class MissingValue:
    """A place of a template that the payload has nothing for."""

    path: str


def places_of(template: str) -> list[str]:
    """The paths of the values that a template takes."""
    return _PLACE.findall(template)


def filled(template: str, payload: Json) -> str | MissingValue:
    """The request with the payload's values.

    Numbers and lists of numbers stand where their place was: they cannot say anything. Every
    other value stands below, between marks that say that it is data, and its place names it.
    """
    blocks: dict[str, str] = {}
    missing: list[str] = []

    def put(match: re.Match[str]) -> str:
        path = match[1]
        found, value = _at(payload, path)
        if not found:
            missing.append(path)
            return ""
        if _is_numeric(value):
            return json.dumps(value)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        blocks[path] = as_data(path, text, _LONGEST_VALUE)
        return f'"{path}" (the text below)'

    text = _PLACE.sub(put, template)
    if missing:
        return MissingValue(missing[0])
    return "\n\n".join([text, *blocks.values()])


def checked_template(template: str) -> str:
    """A template that says something; raises `BadRequest`."""
    if not _PLACE.sub("", template).strip():
        raise BadRequest(
            "the request of a trigger must say what to do with the values",
            hint="for example: --request 'Add up the numbers {amounts}'",
        )
    return template


def _at(payload: Json, path: str) -> tuple[bool, Json]:
    value = payload
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False, None
    return True, value


def _is_numeric(value: Json) -> bool:
    if isinstance(value, list):
        return len(value) <= 1_000 and all(_is_numeric(item) for item in value)
    return value is None or isinstance(value, bool | int | float)


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
