"""A function's head as a solution wrote it: parameters, hints, defaults, docstring."""

import ast
import inspect
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hammerstone.core import wire
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.syntax import last_name, syntax_tree
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.synthesis.request_examples import fits

_ANY: JsonObject = {}
_PLAIN: dict[str, JsonObject] = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "complex": _ANY,
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "dict": {"type": "object"},
    "Dict": {"type": "object"},
    "Mapping": {"type": "object"},
    "list": {"type": "array"},
    "List": {"type": "array"},
    "Sequence": {"type": "array"},
    "Iterable": {"type": "array"},
    "tuple": {"type": "array"},
    "Tuple": {"type": "array"},
    "set": {"type": "array"},
    "Set": {"type": "array"},
    "None": {"type": "null"},
}
_SEQUENCES = frozenset({"list", "List", "Sequence", "Iterable", "set", "Set"})


class ParameterKind(StrEnum):
    PLAIN = "plain"
    MANY = "many"  # *args
    NAMED = "named"  # after *: by name only
    ANY_NAMED = "any named"  # **kwargs


@dataclass(frozen=True, slots=True)
class HeadParameter:
    name: str
    hint: JsonObject  # a JSON Schema; empty where the hint says nothing
    kind: ParameterKind = ParameterKind.PLAIN
    default: Json = None
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """`parameters` in the order of the signature; `description` is the docstring's text."""

    name: str
    parameters: tuple[HeadParameter, ...]
    returns: JsonObject
    description: str

    def returning(self, expression: str) -> str:
        """A function with this head, without hints, whose body is an expression."""
        required = [p.name for p in self.parameters if not p.has_default]
        optional = [f"{p.name}={p.default!r}" for p in self.parameters if p.has_default]
        return f"def {self.name}({', '.join([*required, *optional])}):\n    return {expression}\n"


def head_of(code: str, function: str) -> Head | None:
    """The head of a module's function; None where it is not there or has odd defaults."""
    node = definition(code, function)
    if node is None:
        return None
    arguments = node.args
    try:
        parameters = tuple(_parameters(arguments))
    except NotLiteral:
        return None
    returns = hint_schema(node.returns) if node.returns else {}
    return Head(function, parameters, returns, inspect.cleandoc(ast.get_docstring(node) or ""))


def definition(code: str, function: str) -> ast.FunctionDef | None:
    """The last top-level definition of a function by this name."""
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    return found[-1] if found else None


def _parameters(arguments: ast.arguments) -> list[HeadParameter]:
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = len(plain) - len(arguments.defaults)
    defaults: list[ast.expr | None] = [*[None] * missing, *arguments.defaults]
    made = [_parameter(a, ParameterKind.PLAIN, d) for a, d in zip(plain, defaults, strict=True)]
    if arguments.vararg:
        made.append(_parameter(arguments.vararg, ParameterKind.MANY, None))
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    made += [_parameter(a, ParameterKind.NAMED, d) for a, d in pairs]
    if arguments.kwarg:
        made.append(_parameter(arguments.kwarg, ParameterKind.ANY_NAMED, None))
    return made


def _parameter(argument: ast.arg, kind: ParameterKind, default: ast.expr | None) -> HeadParameter:
    hint: JsonObject = hint_schema(argument.annotation) if argument.annotation else {}
    if kind is ParameterKind.MANY:
        hint = {"type": "array", **({"items": hint} if hint else {})}
    if default is None:
        return HeadParameter(argument.arg, hint, kind)
    value = wire.encode(literal(default))
    return HeadParameter(argument.arg, hint, kind, value, has_default=True)


def hint_schema(node: ast.expr) -> JsonObject:
    """The JSON Schema that a type hint stands for, as far as it says something."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return {"type": "null"}
        return _from_text(node.value) if isinstance(node.value, str) else {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _either([hint_schema(node.left), hint_schema(node.right)])
    if isinstance(node, ast.Subscript):
        return _of_items(node)
    return dict(_PLAIN.get(last_name(node), _ANY))


def _of_items(node: ast.Subscript) -> JsonObject:
    name = last_name(node.value)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Optional":
        return _either([hint_schema(inner[0]), {"type": "null"}])
    if name == "Union":
        return _either([hint_schema(one) for one in inner])
    if name == "Literal":
        values = [one.value for one in inner if isinstance(one, ast.Constant)]
        return {"enum": [v for v in values if isinstance(v, str | int | float | bool)]}
    schema = dict(_PLAIN.get(name, _ANY))
    items = hint_schema(inner[0])
    if name in _SEQUENCES and items:
        return {**schema, "items": items}
    return schema


def _either(parts: list[JsonObject]) -> JsonObject:
    kinds = [part.get("type") for part in parts]
    if any(not isinstance(kind, str) for kind in kinds):
        return {}
    distinct: list[Json] = list(dict.fromkeys(str(kind) for kind in kinds))
    if len(distinct) == 1:
        return parts[0]
    return {"type": distinct}


def _from_text(text: str) -> JsonObject:
    try:
        return hint_schema(syntax_tree(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return {}


def refined(schema: JsonObject, value: Json) -> JsonObject:
    """The schema, or one that the value fits where it does not fit this one.

    A whole number where the hint says `float` stays a number; a fraction where it says `int`
    makes it one. Where there is no hint, the value says what it is.
    """
    if schema and fits(value, schema):
        return {**schema, **_item_type(schema, value)}
    return schema_of_value(value)


def _item_type(schema: JsonObject, value: Json) -> JsonObject:
    if schema.get("type") == "array" and "items" not in schema and isinstance(value, list):
        items = schema_of_value(value).get("items")
        return {"items": items} if items is not None else {}
    return {}


def schema_of_value(value: Json) -> JsonObject:
    """The widest plain schema of a value in wire form; empty for what has no plain form."""
    match value:
        case None:
            return {}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            kinds = [schema_of_value(item) for item in value]
            same = _common(kinds)
            return {"type": "array", "items": same} if same else {"type": "array"}
        case dict() if not any(key.startswith("$") for key in value):
            return {"type": "object"}
        case _:
            return {}


def _common(kinds: list[JsonObject]) -> JsonObject:
    if not kinds:
        return {}
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    names: set[Any] = {str(kind.get("type")) for kind in kinds}
    return {"type": "number"} if names == {"integer", "number"} else {}
