"""Inputs on which two tools are compared: those of their suites, and variations of them."""

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, Spec, parameters_of
from hammerstone.judging.literals import NotLiteral, literal

Arguments = dict[str, Json]
"""Arguments by parameter name, in wire form."""

MAX_CHARS = 2000


def arguments_of(case: Case, spec: Spec) -> Arguments | None:
    """A case's arguments by name, where all of them are plain values."""
    names = list(parameters_of(spec))
    call = case.call
    if call.source is None:
        given = dict(zip(names, call.args, strict=False))
        return None if len(call.args) > len(names) else {**given, **call.kwargs}
    try:
        node = ast.parse(call.source, mode="eval").body
        if not isinstance(node, ast.Call) or len(node.args) > len(names):
            return None
        values = [literal(argument) for argument in node.args]
        named = {str(each.arg): literal(each.value) for each in node.keywords if each.arg}
    except (SyntaxError, ValueError, NotLiteral, RecursionError, MemoryError):
        return None
    if any(each.arg is None for each in node.keywords):
        return None
    by_name = {**dict(zip(names, values, strict=False)), **named}
    try:
        return {name: wire.encode(value) for name, value in by_name.items()}
    except wire.WireError:
        return None


def variations(
    known: Sequence[Arguments], spec: Spec, limit: int, seed: int = 0
) -> list[Arguments]:
    """Up to `limit` inputs made from known ones: recombined, shortened, reordered, moved a little.

    Where nothing is known, plain values of the declared types.
    """
    rng = random.Random(seed)
    schemas = parameters_of(spec)
    start = [each for each in known if each] or [
        {name: _plain(schema, rng) for name, schema in schemas.items()} for _ in range(6)
    ]
    seen = {repr(sorted(each.items())) for each in known}
    made: list[Arguments] = []
    for candidate in _candidates(start, schemas, rng, limit * 8):
        key = repr(sorted(candidate.items()))
        if key not in seen and len(key) <= MAX_CHARS:
            seen.add(key)
            made.append(candidate)
            if len(made) >= limit:
                break
    return made


def _candidates(
    start: Sequence[Arguments],
    schemas: Mapping[str, Mapping[str, Json]],
    rng: random.Random,
    tries: int,
) -> Iterator[Arguments]:
    for _ in range(tries):
        base = dict(rng.choice(start))
        name = rng.choice(list(base))
        donor = rng.choice(start)
        choices = schemas.get(name, {}).get("enum")
        if isinstance(choices, list) and choices:
            base[name] = rng.choice(choices)
        elif name in donor and rng.random() < 0.3:
            base[name] = donor[name]
        else:
            base[name] = _varied(base[name], rng)
        yield base


def _varied(value: Json, rng: random.Random) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, value * 2, value // 2, value + 7, 0, 1, 2, -value])
    if isinstance(value, float):
        return rng.choice([value + 0.5, value * 2, value / 2, -value, value + 10, 0.0, 1.0])
    if isinstance(value, str):
        return _varied_text(value, rng)
    if isinstance(value, list):
        return _varied_list(value, rng)
    if isinstance(value, dict) and value and not next(iter(value)).startswith("$"):
        key = rng.choice(list(value))
        if rng.random() < 0.2:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: _varied(value[key], rng)}
    return value


def _varied_text(value: str, rng: random.Random) -> str:
    cut = rng.randrange(len(value) + 1)
    digits = [place for place, letter in enumerate(value) if letter.isdigit()]
    if digits and rng.random() < 0.7:  # dates and numbers stay what they are
        place = rng.choice(digits)
        return value[:place] + rng.choice("0123456789") + value[place + 1 :]
    return rng.choice(
        [value[::-1], value + value, value.swapcase(), value[:cut], value[cut:], f"{value} a", ""]
    )


def _varied_list(value: list[Json], rng: random.Random) -> list[Json]:
    if not value:
        return value
    place = rng.randrange(len(value))
    changed = [*value]
    changed[place] = _varied(value[place], rng)
    shuffled = [*value]
    rng.shuffle(shuffled)
    return rng.choice(
        [
            changed,
            changed,
            changed,
            shuffled,
            value[::-1],
            value[:-1],
            value + value,
            [*value, value[0]],
        ]
    )


def _plain(schema: Mapping[str, Json], rng: random.Random) -> Any:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return rng.choice(choices)
    if schema.get("format") == "date":
        return f"20{rng.randint(10, 29)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}"
    match schema.get("type"):
        case "integer":
            return rng.choice([1, 2, 3, 7, 12, 40])
        case "number":
            return rng.choice([0.5, 1.0, 2.0, 12.5, 100.0])
        case "boolean":
            return rng.random() < 0.5
        case "array":
            items = schema.get("items")
            one: Mapping[str, Json] = items if isinstance(items, dict) else {"type": "number"}
            return [_plain(one, rng) for _ in range(rng.randint(1, 5))]
        case "object":
            return {"a": rng.randint(1, 9), "b": "x"}
        case _:
            return rng.choice(["a", "Hello world", "ab ba", "x1 y2"])


def call_of(arguments: Arguments) -> Call:
    return Call(kwargs=arguments)
