"""A value as somebody types it into a field, held against what a tool declares."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hammerstone.core import wire
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject, is_collection
from hammerstone.core.syntax import syntax_tree
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.judging.rendering import show
from hammerstone.judging.result_types import type_mismatch

LONGEST = 10_000  # characters


def typed_value(text: str, returns: JsonObject, results: Sequence[Json]) -> Json:
    """The value that was typed, in wire form and in the form that the tool's results have.

    Python's and JSON's ways to write a value are understood; where a text is declared, what is
    neither is the text itself. Raises `BadRequest` for what the tool can never give.
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        raise BadRequest("that is no value", hint=_hint(results))
    mismatches: list[str] = []
    for value in _readings(text):
        known = next((one for one in results if same(decoded(one), value, loose=True)), None)
        if known is not None:
            return known
        found = wire.encode(_in_form(value, results))
        mismatch = type_mismatch(returns, found)
        if not mismatch:
            return found
        mismatches.append(mismatch)
    raise BadRequest(f"the tool does not give such a value: {mismatches[0]}", hint=_hint(results))


def _readings(text: str) -> list[Any]:
    """What the text may stand for, the likeliest first; the text itself comes last."""
    found: list[Any] = []
    try:
        found.append(literal(syntax_tree(text, mode="eval").body))
    except (ValueError, SyntaxError, RecursionError, MemoryError, NotLiteral):
        with suppress(ValueError, RecursionError):
            found.append(json.loads(text))
    return [*found, text]


def _in_form(value: Any, results: Sequence[Json]) -> Any:
    """A list where the tool gives tuples or sets is one of these."""
    kinds = {type(decoded(one)) for one in results}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind in (list, tuple, set, frozenset) and is_collection(value):
        try:
            return kind(value)  # type: ignore[misc]
        except TypeError:
            return value  # a set of what cannot be in one
    return value


def _hint(results: Sequence[Json]) -> str:
    return f"write it as it is written here: {show(results[0])}"
