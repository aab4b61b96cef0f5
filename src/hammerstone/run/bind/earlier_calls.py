"""Arguments from an earlier request in the same words: its values leave holes in its text, and
what stands there now are the values of the call.

Everything outside the holes has to be the same to the letter, numbers too, and there has to be
one way alone to read it. So nothing is guessed: where a value of the earlier call cannot be found
in its request, or in two places, that call says nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.judging.equality import same_amount
from hammerstone.run.bind.grounding import occurs

_LONGEST = 4_000  # characters of a request that is held against others
_NUMBER = r"(?:(?<![\w.,)\]])[-+])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_NUMBERS = re.compile(rf"(?<![\d.]){_NUMBER}(?!\d|[.,]\d)")
_IN_ROW = r"\s*(?:,\s*and|,\s*or|,|;|\s+and|\s+or)\s*"
_SPACE = re.compile(r"\s+")
_WORD_ENDS = r"(?<!\w){}(?!\w)"
_PERCENT = re.compile(r"\s?(?:%|percent\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """A request and the arguments of the one call that answered it."""

    request: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class _Hole:
    """Where a value of an earlier call stands in its request."""

    name: str
    start: int
    end: int
    example: Json
    shares: bool = False  # 15 % is written there, and the call takes 0.15


def arguments_like(spec: Spec, words: str, earlier: Sequence[EarlierCall]) -> JsonObject | None:
    """The arguments for `words`, by the first earlier request that they differ from in values
    alone; None where there is none, and where two such requests read them differently."""
    found: JsonObject | None = None
    for call in earlier:
        read = _read_like(spec, words, call)
        if read is None or spec.takes.mismatch(read):
            continue
        if found is not None and found != read:
            return None
        found = read
    return found


def _read_like(spec: Spec, words: str, call: EarlierCall) -> JsonObject | None:
    text = call.request
    known = set(spec.takes.names)
    if not set(spec.takes.required) <= set(call.arguments) <= known:
        return None
    if max(len(text), len(words)) > _LONGEST:
        return None
    holes: list[_Hole] = []
    fixed: JsonObject = {}
    for name, value in call.arguments.items():
        spans = [] if _is_chosen(spec, name, value) else _spans(value, text)
        shares = [] if spans else _share_spans(value, text)
        if len(spans or shares) == 1:
            holes.append(_Hole(name, *(spans or shares)[0], value, shares=bool(shares)))
        elif spans or shares or not isinstance(value, bool | str):
            return None  # in two places; or a number that nothing states: it may be computed
        else:
            fixed[name] = value
    holes.sort(key=lambda hole: hole.start)
    captured = _captured(text, words, holes)
    if captured is None or not _said_outside(spec, text, holes, fixed):
        return None
    values: JsonObject = dict(fixed)
    for hole, piece in zip(holes, captured, strict=True):
        value = _number(piece, whole=False) if hole.shares else _value_like(hole.example, piece)
        if value is None:
            return None
        values[hole.name] = float(str(value)) / 100 if hole.shares else value
    return {name: values[name] for name in spec.takes.names if name in values}


def _spans(value: Json, text: str) -> list[tuple[int, int]]:
    """Where a text writes a value: a number as a number, a list as its items in a row."""
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return []
    if isinstance(value, int | float):
        numbers = _NUMBERS.finditer(text)
        return [one.span() for one in numbers if float(_plain(one[0])) == float(value)]
    if isinstance(value, str):
        pattern = _WORD_ENDS.format(re.escape(value)) if value.strip() else ""
        return [one.span() for one in re.finditer(pattern, text)] if pattern else []
    return _row_spans(value, text)


def _share_spans(value: Json, text: str) -> list[tuple[int, int]]:
    """Where a text writes a share in percent."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return []
    numbers = [one for one in _NUMBERS.finditer(text) if _PERCENT.match(text, one.end())]
    return [one.span() for one in numbers if same_amount(float(_plain(one[0])), 100 * value)]


def _row_spans(items: Sequence[Json], text: str) -> list[tuple[int, int]]:
    if len(items) < 2:
        return []  # a single item is as much a list as a value
    numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in items)
    if numeric:
        one = rf"(?<![\d.]){_NUMBER}(?!\d|\.\d)"
    elif all(isinstance(each, str) and each.strip() for each in items):
        one = "|".join(rf"['\"]?{re.escape(str(each))}['\"]?" for each in items)
    else:
        return []
    row = re.compile(rf"\[?(?:{one})(?:{_IN_ROW}(?:{one}))+\]?")
    spans = [match.span() for match in row.finditer(text)]
    return [span for span in spans if _same_items(items, _items(text[slice(*span)], items))]


def _same_items(items: Sequence[Json], read: list[Json] | None) -> bool:
    if read is None or len(read) != len(items):
        return False
    return all(
        one == other if isinstance(one, str) else same_amount(float(str(one)), float(str(other)))
        for one, other in zip(items, read, strict=True)
    )


def _is_chosen(spec: Spec, name: str, value: Json) -> bool:
    """Whether a value is a switch or one of a fixed set: that stays while the words do."""
    return isinstance(value, bool) or "enum" in spec.takes.schema_of(name)


def _said_outside(spec: Spec, text: str, holes: Sequence[_Hole], fixed: Mapping[str, Json]) -> bool:
    """Whether what stays as it was is said by the words that stay: not by one of the values."""
    outside = " ".join(_outside(text, holes))
    return all(
        _is_chosen(spec, name, value) or occurs(value, outside) for name, value in fixed.items()
    )


def _outside(text: str, holes: Sequence[_Hole]) -> list[str]:
    """The pieces of a text between its holes, before the first and after the last."""
    ends = [0, *(hole.end for hole in holes)]
    starts = [*(hole.start for hole in holes), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _captured(text: str, words: str, holes: Sequence[_Hole]) -> list[str] | None:
    """What stands in the holes now; None where the rest differs, or could be read in two ways."""
    if any(one.end > other.start for one, other in pairwise(holes)):
        return None  # two values share a place
    pieces = _outside(text, holes)
    if any(not piece.strip() for piece in pieces[1:-1]):
        return None  # nothing tells where the first ends
    read: set[tuple[str, ...]] = set()
    for some in ("(.+?)", "(.+)"):
        pattern = some.join(_literal(piece) for piece in pieces)
        match = re.fullmatch(rf"\s*{pattern}\s*", words, re.DOTALL)
        if match is None:
            return None
        read.add(match.groups())
    return list(read.pop()) if len(read) == 1 else None


def _literal(piece: str) -> str:
    """A pattern for a piece of text, whatever its white space is."""
    return r"\s+".join(re.escape(part) for part in _SPACE.split(piece))


def _value_like(example: Json, piece: str) -> Json:
    """A piece of text as a value of the example's kind; None where it is none."""
    if isinstance(example, int | float) and not isinstance(example, bool):
        return _number(piece, whole=isinstance(example, int))
    if isinstance(example, str):
        numeric = _NUMBERS.fullmatch(example) is not None
        return None if numeric and _NUMBERS.fullmatch(piece) is None else piece
    return _items(piece, example) if isinstance(example, list) else None


def _items(piece: str, like: Sequence[Json]) -> list[Json] | None:
    """The items of a row as people write it, of the kind of other items."""
    inner = piece.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    parts = [part.strip() for part in re.split(_IN_ROW, inner.strip())]
    if not all(parts):
        return None
    if all(isinstance(one, str) for one in like):
        return [part.strip("'\"") for part in parts]
    whole = all(isinstance(one, int) for one in like)
    numbers: list[Json] = [_number(part, whole=whole) for part in parts]
    return None if None in numbers else numbers


def _number(piece: str, *, whole: bool) -> int | float | None:
    text = piece.strip()
    if _NUMBERS.fullmatch(text) is None:
        return None
    value = float(_plain(text))
    return int(value) if value.is_integer() and (whole or "." not in text) else value


def _plain(text: str) -> str:
    return text.replace(",", "")
