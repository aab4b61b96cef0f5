"""Whether the arguments of a call are what a benchmark accepts.

A case lists for each parameter the values that count as right; an empty text among them means
that the parameter may be left out. Values have to be equal: numbers as numbers, texts to the
letter, apart from case, spaces and punctuation, which the benchmark's own checker ignores too.
"""

import re
from collections.abc import Mapping
from typing import Any

from hammerstone.core.json_types import Json, JsonObject, is_dict, is_sequence

_IGNORED = re.compile(r"[ ,./\-_*^]")
LEFT_OUT = ""
_NAMES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}


def accepted(values: Mapping[str, Json], right: Mapping[str, Any], *, exact: bool = False) -> bool:
    """Whether every argument is one of the accepted values and none is missing or too many."""
    if any(name not in right for name in values):
        return False
    for name, choices in right.items():
        if name not in values:
            if LEFT_OUT not in choices:
                return False
        elif not any(_same(values[name], choice, exact) for choice in choices):
            return False
    return True


def _same(given: Any, choice: Any, exact: bool) -> bool:
    if isinstance(given, bool) or isinstance(choice, bool):
        return given is choice
    if isinstance(given, int | float) and isinstance(choice, int | float):
        return given == choice
    if isinstance(given, str) and isinstance(choice, str):
        return given == choice or (not exact and _plain(given) == _plain(choice))
    if is_sequence(given) and is_sequence(choice):
        pairs = zip(given, choice, strict=False)
        return len(given) == len(choice) and all(_same(g, c, exact) for g, c in pairs)
    if is_dict(given) and is_dict(choice):
        options = {k: v if is_sequence(v) else [v] for k, v in choice.items()}
        return accepted(given, options, exact=exact)
    return given == choice


def _plain(text: str) -> str:
    return _IGNORED.sub("", text).lower().replace("'", '"')


def json_schema(parameters: Any) -> JsonObject:
    """The benchmark's parameter description as JSON Schema: its type names are Python's."""
    return _schema(parameters)


def _schema(node: Any) -> Any:
    if not is_dict(node):
        return node
    found: dict[str, Any] = {}
    for key, value in node.items():
        if key == "type" and isinstance(value, str):
            found[key] = _NAMES.get(value, value)
        elif key == "properties":
            found[key] = {name: _schema(each) for name, each in value.items()}
        elif key == "items":
            found[key] = _schema(value)
        else:
            found[key] = value
    return found
