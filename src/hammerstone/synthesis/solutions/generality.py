"""Whether a function is of use beyond the request it was written for, and how it becomes so.

A value of the request that stands in the function's body instead of its head is moved into the
head, with that value as the default: kept only if the request's own result stays the same and
another value changes it. What then takes no values, or gives the same whatever it is given, is
no tool.
"""

import ast
import builtins
import copy
import keyword
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.syntax import syntax_tree
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.inputs import LiteralArguments, vary
from hammerstone.synthesis.code.tidy import renamed
from hammerstone.synthesis.solutions.heads import HeadParameter, definition, refined
from hammerstone.synthesis.solutions.plain import PlainFunction
from hammerstone.synthesis.solutions.stated_values import StatedValues, stated_values, values_in

_TRIED = 40  # made-up inputs on which a result may change
_MOVED = 4  # values that are moved at most: more of them are data, not parameters
_FILES = "/files/"


@dataclass(frozen=True, slots=True)
class Generality:
    """The function as it can be kept, or why it is no tool; `moved` are its new parameters.

    `inside` are numbers of the request that stay in the body.
    """

    function: PlainFunction
    reason: str = ""
    moved: tuple[str, ...] = ()
    inside: tuple[float, ...] = ()


async def generalise(
    function: PlainFunction,
    request: str,
    returned: Json,
    sandbox: Sandbox,
    *,
    leaves_files: bool = False,
) -> Generality:
    """The function without the request's values in its body, as far as that can be shown.

    Of one that leaves files, what it returns says nothing: the examination looks into them.
    """
    stated, moved = stated_values(request), list[str]()
    for text in _movable(function, stated)[:_MOVED]:
        made = with_parameter(function, text, stated)
        if made is not None and await _matters(
            made, made.head.parameters[-1].name, returned, sandbox
        ):
            function = made
            moved.append(made.head.parameters[-1].name)
    if not function.head.parameters:
        return Generality(function, "it takes no values")
    reads = any(isinstance(v, str) and v.startswith(_FILES) for v in function.arguments.values())
    if not reads and not leaves_files and not await _depends(function, returned, sandbox):
        return Generality(function, "its result does not depend on what it is given")
    function = _renamed(function)
    inside = _inside(function, stated)
    if inside and moved:
        return Generality(function, "the values of the request are spread over its code")
    return Generality(function, "", tuple(moved), inside)


def _literals(node: ast.AST) -> Iterator[tuple[ast.expr, Any]]:
    """Constants and displays of constants in a body, the largest first; texts in f-strings and
    docstrings are words, not values."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr) or (
            isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        ):
            continue
        if isinstance(child, ast.Constant | ast.List | ast.Tuple | ast.Set | ast.Dict):
            try:
                yield child, ast.literal_eval(child)
                continue
            except (ValueError, TypeError):
                pass
        yield from _literals(child)


def _body_literals(function: PlainFunction) -> list[tuple[ast.expr, Any]]:
    node = definition(function.code, function.head.name)
    return [found for line in (node.body if node else []) for found in _in_line(line)]


def _in_line(line: ast.stmt) -> Iterator[tuple[ast.expr, Any]]:
    yield from _literals(ast.Module([line], []))


def _movable(function: PlainFunction, stated: StatedValues) -> list[str]:
    """Values of the request that stand in the body exactly once and in no argument."""
    given = {repr(value) for value in values_in(function.arguments)}
    counts: dict[str, int] = {}
    ours: dict[str, bool] = {}
    for _, value in _body_literals(function):
        key = repr(value)
        counts[key] = counts.get(key, 0) + 1
        inner = [one for one in values_in(_as_json(value)) if repr(one) not in given]
        plain = isinstance(value, int | float | str)
        ours[key] = bool(inner) and all(map(stated.states, inner)) and (plain or len(inner) > 1)
    return [key for key, count in counts.items() if count == 1 and ours[key]]


def _as_json(value: Any) -> Json:
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple | set):
        return [_as_json(item) for item in value]  # type: ignore[reportUnknownVariableType]
    return value


def with_parameter(
    function: PlainFunction, text: str, stated: StatedValues, name: str = ""
) -> PlainFunction | None:
    """The function with one literal of its body (by its repr) as a further parameter.

    None where the literal does not stand there exactly once, or cannot be one.
    """
    tree = syntax_tree(function.code)
    name_of = function.head.name
    node = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name_of][-1]
    found = [n for line in node.body for n, value in _in_line(line) if repr(value) == text]
    if len(found) != 1:
        return None
    value: Any = ast.literal_eval(found[0])
    try:
        plain: Json = wire.encode([*value] if isinstance(value, tuple) else value)
    except wire.WireError:
        return None
    if isinstance(value, set) or (isinstance(value, dict) and plain != value):
        return None
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | set(function.arguments)
    if name in taken:
        return None
    name = name or _name_for(node, found[0], value, stated, taken)
    default = copy.deepcopy(found[0])
    _Replacement(found[0], name).visit(node)
    position = len(node.args.args) - len(node.args.defaults)
    if node.args.vararg or node.args.kwonlyargs or position < 0:
        return None
    node.args.args.append(ast.arg(name))
    node.args.defaults.append(default)
    parameter = HeadParameter(name, refined({}, plain), default=plain, has_default=True)
    head = replace(function.head, parameters=(*function.head.parameters, parameter))
    code = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return PlainFunction(code, head, {**function.arguments, name: plain})


class _Replacement(ast.NodeTransformer):
    def __init__(self, old: ast.expr, name: str) -> None:
        self._old = old
        self._name = name

    def visit(self, node: ast.AST) -> Any:
        if node is self._old:
            return ast.Name(self._name, ast.Load())
        return self.generic_visit(node)


def _name_for(
    function: ast.FunctionDef, literal: ast.expr, value: Any, stated: StatedValues, taken: set[str]
) -> str:
    """A name for a value: how the code calls it, else the word beside it in the request."""
    wanted = ""
    for node in ast.walk(function):
        if isinstance(node, ast.keyword) and node.value is literal:
            wanted = node.arg or ""
        elif isinstance(node, ast.Assign) and node.value is literal and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):  # `year = 2026` becomes `year = year`
                wanted = target.id
                taken = taken - {wanted}
    if not wanted and isinstance(value, int | float):
        number = stated.find_number(abs(value))
        wanted = number.word if number else ""
        if number and number.percent:
            wanted = f"{wanted}_percent" if wanted not in ("", "percent") else "percent"
    wanted = wanted or "value"
    if keyword.iskeyword(wanted) or hasattr(builtins, wanted):
        wanted = f"{wanted}_value"
    number, free = 2, wanted
    while free in taken:
        free, number = f"{wanted}_{number}", number + 1
    return free


async def _matters(function: PlainFunction, name: str, returned: Json, sandbox: Sandbox) -> bool:
    """Whether the own result stays as it was, and another value of one parameter changes it."""
    value = decoded(function.arguments[name])
    others = [one.args[0] for one in vary([LiteralArguments((value,))], _TRIED // 4)]
    calls = [{**function.arguments, name: wire.encode(other)} for other in others]
    return await _changes(function, [function.arguments, *calls], returned, sandbox)


async def _depends(function: PlainFunction, returned: Json, sandbox: Sandbox) -> bool:
    names = list(function.arguments)
    own = LiteralArguments((), tuple((name, decoded(function.arguments[name])) for name in names))
    made = [{k: wire.encode(v) for k, v in one.kwargs} for one in vary([own], _TRIED)]
    return await _changes(function, [function.arguments, *made], returned, sandbox)


async def _changes(
    function: PlainFunction, inputs: Sequence[Any], returned: Json, sandbox: Sandbox
) -> bool:
    program = Program(function.code, function.head.name)
    (row,) = await sandbox.matrix([program], [Call(kwargs=given) for given in inputs])
    first, *rest = row
    before = decoded(returned)
    if not first.ok or not same(decoded(first.value), before, loose=True):
        return False
    return any(o.ok and not same(decoded(o.value), before, loose=True) for o in rest)


def _renamed(function: PlainFunction) -> PlainFunction:
    """The function under a name without the values that it is given."""
    given = {str(value).lower() for value in values_in(list(function.arguments.values()))}
    old = function.head.name
    words = [word for word in old.split("_") if word.lower() not in given]
    name = "_".join(words).strip("_")
    if name == old or not name.isidentifier() or keyword.iskeyword(name):
        return function
    tree = syntax_tree(function.code)
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {*dir(builtins)}
    if name in taken:
        return function
    head = replace(function.head, name=name)
    code = renamed(function.code, old, name) + "\n"
    return PlainFunction(code, head, function.arguments)


def _inside(function: PlainFunction, stated: StatedValues) -> tuple[float, ...]:
    given = {repr(value) for value in values_in(function.arguments)}
    numbers = [v for _, v in _body_literals(function) if isinstance(v, int | float)]
    kept = [float(v) for v in numbers if repr(v) not in given and stated.states(v)]
    return tuple(dict.fromkeys(kept))
