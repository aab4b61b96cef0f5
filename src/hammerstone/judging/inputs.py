"""New inputs made from known ones, to find where candidates differ.

Only literal arguments are taken apart, and each keeps its type: what a test author passed says
more about the valid inputs than the spec's prose does. Crossing known arguments comes first,
then the boundaries: empty, single, reversed, sorted, duplicated, shortened, off by one, zero.
Negative numbers appear only where some known inputs have one. Constants that candidates compare
with are tried too, and their neighbours: two programs often part at a limit they both know.
"""

import ast
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite
from typing import Any

from hammerstone.core.calls import Call
from hammerstone.core.json_types import is_collection, is_dict
from hammerstone.core.syntax import syntax_tree
from hammerstone.judging.date_inputs import another_moment
from hammerstone.judging.literals import literal
from hammerstone.judging.rendering import expression_of, joined_call

MAX_WRITTEN = 379  # characters; longer inputs are neither shown to a person nor quick to run

MAX_STRETCHED = 20_000
SIGNED = 0.1  # share of the known inputs with a negative number that makes them valid
MOMENTS = 0.75  # share of the changes to a date or a time that give another one
MAX_TEXT = 12  # characters of a text constant worth trying


@dataclass(frozen=True, slots=True)
class LiteralArguments:
    """The literal arguments of one call: positional, then by name."""

    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    @property
    def values(self) -> tuple[Any, ...]:
        return self.args + tuple(value for _, value in self.kwargs)

    @property
    def written(self) -> str:
        """All of it as text, to tell one from another and to measure it."""
        return f"{self.args!r}{self.kwargs!r}"

    @property
    def has_long_text(self) -> bool:
        """Whether one of its values is a text that is too long by itself."""
        return any(isinstance(one, str) and len(one) > MAX_WRITTEN for one in self.values)

    def name_at(self, position: int) -> str:
        """The name of the value there; empty for a positional one."""
        count = len(self.args)
        return self.kwargs[position - count][0] if position >= count else ""

    def with_values(self, values: Sequence[Any]) -> "LiteralArguments":
        count = len(self.args)
        names = [name for name, _ in self.kwargs]
        return LiteralArguments(
            tuple(values[:count]), tuple(zip(names, values[count:], strict=True))
        )

    def call(self, function: str) -> Call:
        named = {name: expression_of(value) for name, value in self.kwargs}
        return Call(source=joined_call(function, map(expression_of, self.args), named))


def read_call(source: str, function: str) -> LiteralArguments | None:
    """The arguments of `function(...)` where all of them are literals."""
    try:
        call = syntax_tree(source, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        if call.func.id != function or any(k.arg is None for k in call.keywords):
            return None
        args = tuple(literal(argument) for argument in call.args)
        kwargs = tuple((str(k.arg), literal(k.value)) for k in call.keywords)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return LiteralArguments(args, kwargs)


def constants_in(codes: Iterable[str]) -> list[Any]:
    """Numbers and short texts that occur in the programs, each once, in a stable order."""
    found: dict[str, Any] = {}
    for code in codes:
        try:
            tree = syntax_tree(code)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            value = _constant(node)
            if value is not None:
                found.setdefault(repr(value), value)
    return [found[key] for key in sorted(found)]


def _constant(node: ast.AST) -> int | float | str | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value if value != 1 else None  # -1 mostly stands for "not found"
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Constant(value=str() as text) if 0 < len(text) <= MAX_TEXT:
            return text
        case _:
            return None


def vary(
    known: Sequence[LiteralArguments],
    limit: int,
    *,
    constants: Sequence[Any] = (),
    choices: Mapping[str, Sequence[Any]] | None = None,
    signed: bool = False,
    seed: int = 0,
) -> list[LiteralArguments]:
    """Up to `limit` inputs that are not among the known ones; the same for the same arguments.

    `choices` are all the values that an argument by that name may have. `signed` says that
    negative numbers are known to be valid, however few inputs have one.
    """
    rng = random.Random(seed)
    shapes: dict[tuple[Any, ...], list[LiteralArguments]] = {}
    for one in known:
        shape = (len(one.args), tuple(name for name, _ in one.kwargs))
        shapes.setdefault(shape, []).append(one)
    if not shapes:
        return []
    group = max(shapes.values(), key=len)
    signed = signed or sum(map(has_negative, group)) >= SIGNED * len(group)
    seen = {one.written for one in known}
    fresh: list[LiteralArguments] = []
    makers = [
        _crossed(group, rng),
        _mutated(group, rng, signed, choices or {}),
        _pointed(group, rng, constants),
    ]
    while makers and len(fresh) < limit:
        maker = makers.pop(0)
        candidate = next(maker, None)
        if candidate is None:
            continue
        makers.append(maker)
        if candidate.has_long_text:  # to write it down, thousands of times, takes seconds
            continue
        text = candidate.written
        if text not in seen and len(text) <= MAX_WRITTEN:
            seen.add(text)
            fresh.append(candidate)
    return fresh


def stretch(known: Sequence[LiteralArguments], limit: int) -> list[LiteralArguments]:
    """Up to `limit` inputs much larger than the known ones, to tell the slow from the quick."""
    largest = sorted(known, key=lambda one: -len(one.written))[:1]
    grown: list[LiteralArguments] = []
    for one in largest:
        for factor in (10, 1000, 100_000):
            values = [_grow(value, factor) for value in one.values]
            if values != list(one.values) and len(repr(values)) <= MAX_STRETCHED:
                grown.append(one.with_values(values))
    return grown[:limit]


def _grow(value: Any, factor: int) -> Any:
    if type(value) is int:
        return value * factor + 1
    return value * min(factor, 1000) if type(value) in (str, list, tuple) else value


def _crossed(group: Sequence[LiteralArguments], rng: random.Random) -> Iterator[LiteralArguments]:
    """Arguments of different known calls put together."""
    width = len(group[0].values)
    if width < 2:
        return
    columns = [list({repr(one.values[i]): one.values[i] for one in group}.values())[:30]
               for i in range(width)]  # fmt: skip
    if _size(columns) <= 2000:
        combinations = list(product(*columns))
        rng.shuffle(combinations)
    else:
        combinations = [tuple(rng.choice(c) for c in columns) for _ in range(2000)]
    for values in combinations:
        yield group[0].with_values(values)


def _size(columns: Sequence[Sequence[Any]]) -> int:
    total = 1
    for column in columns:
        total *= len(column)
    return total


def _mutated(
    group: Sequence[LiteralArguments],
    rng: random.Random,
    signed: bool,
    choices: Mapping[str, Sequence[Any]],
) -> Iterator[LiteralArguments]:
    for _ in range(4000):
        one = rng.choice(group)
        values = list(one.values)
        if not values:
            return
        position = rng.randrange(len(values))
        other = rng.choice(group).values[position]
        allowed = choices.get(one.name_at(position))
        values[position] = (
            rng.choice(allowed) if allowed else _mutate(values[position], other, rng, signed)
        )
        yield one.with_values(values)


def _pointed(
    group: Sequence[LiteralArguments], rng: random.Random, constants: Sequence[Any]
) -> Iterator[LiteralArguments]:
    """Known calls with one number or text replaced by a constant or its neighbour."""
    numbers = [c for c in constants if isinstance(c, int | float)]
    texts = [c for c in constants if isinstance(c, str)]
    for _ in range(2000 if constants else 0):
        one = rng.choice(group)
        values = list(one.values)
        if not values:
            return
        position = rng.randrange(len(values))
        values[position] = _point(values[position], numbers, texts, rng)
        yield one.with_values(values)


def _point(value: Any, numbers: Sequence[Any], texts: Sequence[str], rng: random.Random) -> Any:
    kind = _kind(value)
    if kind is int and numbers:
        return int(rng.choice(numbers)) + rng.choice((-1, 0, 0, 1))
    if kind is float and numbers:
        return float(rng.choice(numbers)) + rng.choice((-0.5, 0.0, 0.0, 0.5))
    if kind is str and texts:
        cut = rng.randrange(len(value) + 1)
        return rng.choice((rng.choice(texts), value[:cut] + rng.choice(texts) + value[cut:]))
    if kind in (list, tuple) and value:
        items: list[Any] = list(value)
        place = rng.randrange(len(items))
        items[place] = _point(items[place], numbers, texts, rng)
        return items if kind is list else tuple(items)
    return value


def _kind(value: object) -> type[Any]:
    return type(value)


def _mutate(value: Any, other: Any, rng: random.Random, signed: bool, depth: int = 0) -> Any:
    """A value of the same type, near to `value` or to `other`, which a known call has there."""
    if isinstance(value, bool):
        return not value
    kind = _kind(value)
    maker = _MAKERS.get(kind)
    if maker is None or depth > 3:
        return value
    return maker(value, other if isinstance(other, kind) else value, rng, signed, depth)


def _integer(value: int, other: int, rng: random.Random, signed: bool, depth: int) -> int:
    choices = [0, 1, 2, value + 1, value - 1, value * 2, value + other, value * 10, value // 2]
    if signed:
        choices += [-value, -1]
    chosen = rng.choice(choices)
    return chosen if signed else abs(chosen)


def _number(value: float, other: float, rng: random.Random, signed: bool, depth: int) -> float:
    whole = float(round(value)) if isfinite(value) else 0.0
    choices = [0.0, 1.0, value + 0.5, value * 2, value / 2, value + other, whole]
    chosen = rng.choice([*choices, -value] if signed else choices)
    return chosen if signed else abs(chosen)


def _text(value: str, other: str, rng: random.Random, signed: bool, depth: int) -> str:
    moment = another_moment(value, rng)
    if moment is not None and rng.random() < MOMENTS:
        return moment
    cut = rng.randrange(len(value) + 1)
    letter = rng.choice(value) if value else "a"
    choices: tuple[Callable[[], str], ...] = (  # a long text is changed in one way, not in all
        lambda: "", lambda: value[:cut], lambda: value[cut:], lambda: value[::-1],
        lambda: value + other, lambda: value + value, lambda: letter,
        lambda: value[:cut] + letter + value[cut:], value.swapcase, lambda: value + " " + other,
        lambda: value[:cut] + value[cut + 1 :], lambda: f" {value}", lambda: f"{value} ",
    )  # fmt: skip
    return rng.choice(choices)()


def _sequence(value: Any, other: Any, rng: random.Random, signed: bool, depth: int) -> Any:
    items, others = list(value), list(other)
    cut = rng.randrange(len(items) + 1)
    choices = [
        [], items[:1], items[::-1], items[:cut], items[cut:], items + others, items + items[:1],
        items[:cut] + items[cut + 1 :], _in_order(items), _in_order(items)[::-1],
    ]  # fmt: skip
    if items:
        place = rng.randrange(len(items))
        changed = list(items)
        changed[place] = _mutate(items[place], rng.choice(items), rng, signed, depth + 1)
        shuffled = list(items)
        rng.shuffle(shuffled)
        choices += [changed, changed, changed, shuffled, [items[place]] * 3]
    return type(value)(rng.choice(choices))


def _in_order(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return items


def _mapping(value: Any, other: Any, rng: random.Random, signed: bool, depth: int) -> Any:
    items: list[tuple[Any, Any]] = list(value.items())
    choices: list[Any] = [{}, dict(items[:1]), dict(items[::-1]), {**value, **other}]
    if items:
        key, old = rng.choice(items)
        new = _mutate(old, rng.choice(items)[1], rng, signed, depth + 1)
        choices += [{**value, key: new}] * 3 + [{k: v for k, v in items if k != key}]
    return rng.choice(choices)


_MAKERS: dict[type, Callable[..., Any]] = {
    int: _integer, float: _number, str: _text, list: _sequence, tuple: _sequence,
    set: _sequence, frozenset: _sequence, dict: _mapping,
}  # fmt: skip


def has_negative(one: LiteralArguments) -> bool:
    """Whether a number in the arguments is below zero."""
    return _has_negative(one.values)


def _has_negative(value: Any) -> bool:
    if isinstance(value, int | float):
        return value < 0
    if is_dict(value):
        return any(_has_negative(item) for item in value.values())
    if is_collection(value):
        return any(_has_negative(item) for item in value)
    return False
