"""Types as the graph compares them: a JSON Schema, or a value, reduced to what fits where.

And the parts of one that could be handed on: the whole, a property, the items of a list.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from hammerstone.core.json_types import Json, is_dict, is_list, is_sequence
from hammerstone.core.tools import Parameters
from hammerstone.library.graph.meanings import meaning_of
from hammerstone.library.search.text.request_text import singular

MAX_DEPTH = 5
MAX_FIELDS = 40

_WIRE_KINDS = {
    "$date": ("string", "date"),
    "$datetime": ("string", "datetime"),
    "$time": ("string", "time"),
    "$timedelta": ("number", "duration"),
    "$decimal": ("number", ""),
    "$fraction": ("number", ""),
    "$float": ("number", ""),
    "$int": ("integer", ""),
    "$bytes": ("string", ""),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A type. `kind` is JSON Schema's word for it or `any`; `meaning` what it stands for.

    `items` is a list's element. `fields` are an object's properties, those that are always
    there named in `always`. `options` are the alternatives of a union.
    """

    kind: str
    meaning: str = ""
    items: "Shape | None" = None
    fields: tuple[tuple[str, "Shape"], ...] = ()
    always: frozenset[str] = frozenset()
    options: tuple["Shape", ...] = ()
    _hash: int = field(default=0, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Shapes are keys everywhere; hashing a nested one anew each time took a third of a search.
        parts = (self.kind, self.meaning, self.items, self.fields, self.always, self.options)
        object.__setattr__(self, "_hash", hash(parts))

    def __hash__(self) -> int:
        return self._hash

    def property(self, name: str) -> "Shape | None":
        return next((shape for key, shape in self.fields if key == name), None)

    def __str__(self) -> str:
        """The type in a person's words: `list of date`, `money (number)`."""
        if self.options:
            return " or ".join(str(option) for option in self.options)
        if self.kind == "array" and self.meaning != "table":
            return f"list of {self.items}" if self.items else "list"
        plain = {"string": "text", "any": "anything", "object": "object"}.get(self.kind, self.kind)
        if self.meaning:
            return f"{self.meaning.replace('_', ' ')} ({'list' if plain == 'array' else plain})"
        if self.kind == "object" and self.fields:
            names = ", ".join(name for name, _ in self.fields[:4])
            return f"object with {names}{', ...' if len(self.fields) > 4 else ''}"
        return plain


ANY = Shape("any")
FILE = Shape("string", "path")
"""The shape of a file given with a request: tools get its path."""


def shape_of_schema(schema: Json, name: str = "") -> Shape:
    """The shape that a JSON Schema describes; what it does not say is `any`."""
    return _same(_read(schema, name, 0))


@lru_cache(maxsize=50_000)
def _same(shape: Shape) -> Shape:
    """One object for equal shapes: comparing it with itself costs nothing."""
    return shape


def _read(schema: Json, name: str, depth: int) -> Shape:
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return ANY
    description = str(schema.get("description", ""))
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            return _union([_read(each, name, depth + 1) for each in branches])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union([_read({**schema, "type": each}, name, depth + 1) for each in kind])
    if not isinstance(kind, str):
        kind = _implied(schema)
    meaning = meaning_of(name, description, kind, str(schema.get("format", "")))
    if kind == "array":
        inner = schema.get("items")
        items = _read(inner, singular(name), depth + 1) if isinstance(inner, dict) else None
        if items is not None and items.kind == "object":
            meaning = "table"
        return Shape("array", meaning if meaning == "table" else "", items)
    if kind == "object":
        return _object(schema, meaning, depth)
    return Shape(kind, meaning)


def _implied(schema: Mapping[str, Json]) -> str:
    if "properties" in schema:
        return "object"
    if "items" in schema:
        return "array"
    listed = schema.get("enum")
    values = listed if isinstance(listed, list) else [schema["const"]] if "const" in schema else []
    kinds = {shape_of_value(value).kind for value in values}
    return kinds.pop() if len(kinds) == 1 else "any"


def _object(schema: Mapping[str, Json], meaning: str, depth: int) -> Shape:
    parts = Parameters.of(schema)
    known = list(parts.schemas.items())[:MAX_FIELDS]
    fields = tuple((key, _read(about, key, depth + 1)) for key, about in known)
    always = frozenset(parts.required) & {key for key, _ in fields}
    return Shape("object", meaning if meaning == "table" else "", None, fields, always)


def _union(options: list[Shape]) -> Shape:
    kept = [option for option in dict.fromkeys(options) if option.kind != "null"]
    if not kept:
        return Shape("null") if options else ANY
    return kept[0] if len(kept) == 1 else Shape("any", options=tuple(kept))


def shape_of_value(value: Any, name: str = "") -> Shape:
    """The shape of a JSON value, or of one in wire form."""
    return _of_value(value, name, 0)


def _of_value(value: Any, name: str, depth: int) -> Shape:
    if depth > MAX_DEPTH:
        return ANY
    if value is None:
        return Shape("null")
    if isinstance(value, bool):
        return Shape("boolean")
    if isinstance(value, int | float):
        kind = "integer" if isinstance(value, int) else "number"
        return Shape(kind, meaning_of(name, "", kind))
    if isinstance(value, str):
        return Shape("string", _text_meaning(value) or meaning_of(name, "", "string"))
    if is_sequence(value):
        return _list(value, name, depth)
    if is_dict(value):
        return _mapping(value, depth)
    return ANY


def _list(values: Sequence[Any], name: str, depth: int) -> Shape:
    # The first elements tell: a list of 100,000 rows is not read to know that it holds rows.
    kinds = list(dict.fromkeys(_of_value(item, singular(name), depth + 1) for item in values[:20]))
    items = None if not kinds else kinds[0] if len(kinds) == 1 else _merged(kinds)
    table = items is not None and items.kind == "object"
    return Shape("array", "table" if table else "", items)


def _merged(kinds: list[Shape]) -> Shape:
    names = {shape.kind for shape in kinds}
    if names <= {"integer", "number"}:
        return Shape("number")
    if len(names) == 1:
        first = kinds[0]
        shared = first.always.intersection(*(shape.always for shape in kinds))
        return replace(first, meaning="" if first.kind != "array" else first.meaning, always=shared)
    return _union(kinds)


def _mapping(value: dict[str, Any], depth: int) -> Shape:
    if len(value) == 1:
        ((tag, body),) = value.items()
        if tag in _WIRE_KINDS:
            return Shape(*_WIRE_KINDS[tag])
        if tag == "$table":
            return Shape("array", "table", Shape("object"))
        if tag in ("$tuple", "$set", "$array") and is_list(body):
            return _list(body, "", depth)
    fields = tuple(
        (str(key), _of_value(item, str(key), depth + 1))
        for key, item in list(value.items())[:MAX_FIELDS]
    )
    return Shape("object", "", None, fields, frozenset(key for key, _ in fields))


@lru_cache(maxsize=10_000)
def _text_meaning(text: str) -> str:
    if len(text) > 500:
        return ""
    for meaning, pattern in (
        ("datetime", r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*"),
        ("date", r"\d{4}-\d{2}-\d{2}"),
        ("url", r"https?://\S+"),
        ("email", r"[\w.+-]+@[\w-]+\.[\w.-]+"),
        ("path", r"(?:/|\./|~/|[A-Za-z]:\\)\S+|[\w-]+\.(?:csv|json|txt|xlsx|pdf|md|html|xml|yaml)"),
    ):
        if re.fullmatch(pattern, text):
            return meaning
    return ""


MAX_ROUTES = 30
DEPTH = 3
EACH = "*"  # stands for every item of a list


@dataclass(frozen=True, slots=True)
class Route:
    """Where a part lies in a result, and its shape. `fans_out` when it is each item of a list."""

    path: tuple[str, ...]
    shape: Shape

    @property
    def fans_out(self) -> bool:
        return EACH in self.path

    def __str__(self) -> str:
        return ".".join(self.path)


def routes(shape: Shape) -> list[Route]:
    """The whole first, then its parts, nearest first."""
    found: list[Route] = []
    waiting = [Route((), shape)]
    while waiting and len(found) < MAX_ROUTES:
        route = waiting.pop(0)
        found.append(route)
        if len(route.path) < DEPTH:
            waiting.extend(_inside(route))
    return found


def _inside(route: Route) -> Iterator[Route]:
    shape = route.shape
    for option in shape.options:
        yield from _inside(Route(route.path, option))
    for name, part in shape.fields:
        yield Route((*route.path, name), part)
    # Items of items would call a tool for every cell; people mean rows.
    if shape.items is not None and EACH not in route.path:
        yield Route((*route.path, EACH), shape.items)
