"""A solution's function with a head that any caller can use: named parameters, plain values.

A tool is called with JSON. Where the solution takes `*args`, a date or a set, a function of the
same name is put before it that takes the list or the text and hands on what the other one needs.
"""

from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.solutions import Solution
from hammerstone.core.syntax import syntax_tree
from hammerstone.synthesis.code.imports import missing_imports
from hammerstone.synthesis.code.tidy import renamed, tidy
from hammerstone.synthesis.solutions.heads import (
    Head,
    HeadParameter,
    ParameterKind,
    head_of,
    refined,
)
from hammerstone.synthesis.solutions.own_call import OwnCall

# What a value is in JSON, and how the function's own form is made of it again.
_FORMS: dict[str, tuple[JsonObject, str]] = {
    "$tuple": ({"type": "array"}, "tuple({})"),
    "$set": ({"type": "array"}, "set({})"),
    "$date": ({"type": "string", "format": "date"}, "datetime.date.fromisoformat({})"),
    "$datetime": ({"type": "string", "format": "date-time"}, "datetime.datetime.fromisoformat({})"),
    "$time": ({"type": "string", "format": "time"}, "datetime.time.fromisoformat({})"),
    "$decimal": ({"type": "number"}, "decimal.Decimal(str({}))"),
    "$fraction": ({"type": "string"}, "fractions.Fraction({})"),
}
_MODULES = ("datetime", "decimal", "fractions")


@dataclass(frozen=True, slots=True)
class PlainFunction:
    """A module, the head of its function, and the request's own call of it in plain JSON."""

    code: str
    head: Head
    arguments: JsonObject


def plain_function(solution: Solution, own: OwnCall) -> PlainFunction | str:
    """The solution's function in a form that can be kept, or why it has none."""
    code = tidy(solution.code, solution.function)
    head = head_of(code, solution.function) if code else None
    if head is None:
        return "its function cannot be read"
    if any(parameter.kind is ParameterKind.ANY_NAMED for parameter in head.parameters):
        return "its function takes any named values"
    parts = [_plain(parameter, own.arguments) for parameter in head.parameters]
    if any(part is None for part in parts):
        return "its function takes values that have no plain form"
    made = [part for part in parts if part is not None]
    plain = replace(head, parameters=tuple(part.parameter for part in made))
    arguments = {part.parameter.name: part.value for part in made}
    if all(part.handed == part.parameter.name for part in made):
        return PlainFunction(code, plain, arguments)
    return PlainFunction(_wrapped(code, plain, made), plain, arguments)


@dataclass(frozen=True, slots=True)
class _Part:
    """One parameter in plain form, and the expression that the inner function is handed."""

    parameter: HeadParameter
    value: Json
    handed: str


def _plain(parameter: HeadParameter, arguments: JsonObject) -> _Part | None:
    name = parameter.name
    value = arguments.get(name)
    if parameter.kind is ParameterKind.MANY:
        items = value.get("$tuple") if isinstance(value, dict) else None
        if not isinstance(items, list) or any(map(_is_tagged, items)):
            return None
        schema = refined(parameter.hint, items)
        return _Part(replace(parameter, hint=schema, kind=ParameterKind.PLAIN), items, f"*{name}")
    plain = replace(parameter, kind=ParameterKind.PLAIN)
    if not _is_tagged(value):
        handed = f"{name}={name}" if parameter.kind is ParameterKind.NAMED else name
        wide = refined(parameter.hint, value)
        if parameter.has_default and parameter.default is None:
            wide = parameter.hint or wide
        return _Part(replace(plain, hint=wide), value, handed)
    assert isinstance(value, dict)
    ((tag, body),) = value.items()
    if tag not in _FORMS or parameter.has_default:
        return None
    schema, expression = _FORMS[tag]
    if isinstance(body, list) and any(map(_is_tagged, body)):
        return None
    if tag == "$decimal":
        body = float(str(body))
    if tag == "$tuple":  # a list does as well wherever a tuple is only read
        return _Part(replace(plain, hint=refined(schema, body)), body, name)
    handed = expression.format(name)
    if parameter.kind is ParameterKind.NAMED:
        handed = f"{name}={handed}"
    return _Part(replace(plain, hint=refined(schema, body)), body, handed)


def _is_tagged(value: Json) -> bool:
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$")


def _wrapped(code: str, head: Head, parts: list[_Part]) -> str:
    """The module with its function under another name, behind one with the plain head."""
    inner = f"_{head.name}"
    call = ", ".join(part.handed for part in parts)
    used = [name for name in _MODULES if f"{name}." in call]
    imports = "".join(f"import {name}\n" for name in used)
    own = renamed(code, head.name, inner)
    source = f"{imports}{own}\n\n\n{head.returning(f'{inner}({call})')}"
    lines = missing_imports(list(syntax_tree(source).body))
    return "\n".join([*lines, source])
