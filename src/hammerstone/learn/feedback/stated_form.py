"""A value that a person stated, put into the form that a tool's results have."""

import json
from typing import Any

from hammerstone.core import wire
from hammerstone.core.json_types import Json, is_dict, is_sequence, is_set
from hammerstone.core.tools import Spec
from hammerstone.judging.equality import decoded
from hammerstone.judging.result_types import type_mismatch

_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def as_result(value: Json, spec: Spec, like: Json) -> tuple[Json, str]:
    """The stated value in wire form as the tool would return it, and why it cannot be one.

    `like` is what the tool returned, in wire form: a list becomes a tuple where that is one.
    A text that writes a value of the declared type is that value.
    """
    mismatch = ""
    for reading in _readings(value):
        shaped = wire.encode(_shaped(reading, decoded(like)))
        found = type_mismatch(spec.returns, shaped)
        if not found:
            return shaped, ""
        mismatch = mismatch or found
    return wire.encode(value), mismatch


def _readings(value: Json) -> list[Json]:
    """The value as it was stated, then as what its text may write."""
    if not isinstance(value, str):
        return [value]
    text, found = value.strip(), list[Json]([value])
    if text.lower() in _TRUTHS:
        found.append(_TRUTHS[text.lower()])
    for written in (text, text.replace(",", "")):
        try:
            found.append(json.loads(written))
        except ValueError:
            continue
    return found


def _shaped(value: Any, like: Any) -> Any:
    if is_sequence(value) and (is_sequence(like) or is_set(like)):
        inner = next(iter(like), None)
        items = [_shaped(item, inner) for item in value]
        if isinstance(like, tuple):
            return tuple(items)
        return items if is_sequence(like) else set(items)
    if is_dict(value) and is_dict(like):
        return {key: _shaped(item, like.get(key)) for key, item in value.items()}
    if isinstance(like, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
