"""Templates: a payload's values put into a request's text, as data."""

import json
import re
from dataclasses import dataclass

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json
from hammerstone.guard.data import as_data

_PLACE = re.compile(r"\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)\}")
_LONGEST_VALUE = 20_000


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
