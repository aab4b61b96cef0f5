# pyright: basic
"""Slips: the small mistakes people make, each as a change of one node that takes it back."""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from hammerstone.judging.edit_operators import (
    MISTAKEN_NAMES,
    OPPOSITES,
    Change,
    exchange_and_or,
    negate_test,
    set_comparison,
    set_part,
)
from hammerstone.learn.repair.blocks import block_slips

_COMPARE = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_RELATED = (
    *MISTAKEN_NAMES,
    ("floor", "ceil"),
    ("floor", "round"),
    ("ceil", "round"),
    ("int", "round"),
    ("sum", "len"),
    ("sum", "max"),
    ("list", "set"),
    ("list", "sorted"),
    ("set", "sorted"),
    ("isupper", "islower"),
    ("upper", "swapcase"),
    ("lower", "swapcase"),
    ("append", "extend"),
    ("append", "insert"),
    ("lstrip", "rstrip"),
    ("strip", "lstrip"),
    ("isdigit", "isalpha"),
    ("isalnum", "isalpha"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("split", "rsplit"),
    ("keys", "values"),
    ("union", "intersection"),
    ("add", "discard"),
)
_WRAPPERS = ("abs", "int", "len", "sorted", "set", "list", "str", "sum", "round", "float")


Slip: TypeAlias = tuple[str, float, Change]
"""What it says to a person, how unlikely it is, and the change itself."""


@dataclass(frozen=True, slots=True)
class EditScope:
    """What an edit may bring in: the function's own names and constants, and given texts."""

    names: tuple[str, ...]
    functions: tuple[str, ...]
    numbers: tuple[int | float, ...]
    texts: tuple[str, ...]


def slips(node: ast.AST, scope: EditScope) -> Iterator[Slip]:
    """Every slip that may have been made at a node."""
    match node:
        case ast.Compare():
            yield from _comparison(node)
        case ast.BinOp():
            yield from _binary(node)
        case ast.AugAssign():
            for op in (*_BINARY, *_BITS):
                if not isinstance(node.op, op):
                    yield f"{_op(node.op)} becomes {_op(op())}", 1.0, set_part("op", op)
            yield "plain assignment", 1.5, lambda n: ast.Assign([n.target], n.value)
        case ast.BoolOp():
            yield "and/or exchanged", 1.0, exchange_and_or
            for index in range(len(node.values)):
                yield "a condition dropped", 1.4, _drop_value(index)
        case ast.UnaryOp():
            yield "sign or not dropped", 1.0, lambda n: n.operand
        case ast.If() | ast.While() | ast.IfExp():
            yield "condition turned round", 1.2, negate_test
            if isinstance(node, ast.If):
                yield "while instead of if", 2.5, lambda n: ast.While(n.test, n.body, n.orelse)
        case ast.Slice():
            yield from _slice()
        case ast.Return(value=ast.expr()):
            for name in scope.names:
                yield f"returns {name}", 1.6, set_part("value", ast.Name(name, ast.Load()))
        case ast.comprehension(ifs=[_, *_]):
            yield "filter dropped", 1.4, lambda n: setattr(n, "ifs", [])
        case _:
            pass
    if isinstance(node, ast.Constant):
        yield from _constant(node, scope)
    if isinstance(node, ast.Call):
        yield from _call(node)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _name(node, scope)
    if isinstance(node, ast.Attribute):
        for other in _related(node.attr):
            yield f"{node.attr} becomes {other}", 1.0, set_part("attr", other)
    if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield from _expression(node)
    if isinstance(node, ast.For | ast.While | ast.If | ast.With):
        yield from block_slips(node)


def _comparison(node: ast.Compare) -> Iterator[Slip]:
    for index, old in enumerate(node.ops):
        kinds = _COMPARE if isinstance(old, _COMPARE) else (OPPOSITES.get(type(old), type(old)),)
        for kind in kinds:
            if not isinstance(old, kind):
                yield f"{_op(old)} becomes {_op(kind())}", 0.8, set_comparison(index, kind)
    if len(node.ops) == 1:
        yield "sides exchanged", 1.5, _swap_sides


def _binary(node: ast.BinOp) -> Iterator[Slip]:
    for op in (*_BINARY, *_BITS):
        if not isinstance(node.op, op):
            common = isinstance(node.op, _BINARY) and op in _BINARY
            yield f"{_op(node.op)} becomes {_op(op())}", 0.8 if common else 2.0, set_part("op", op)
    yield "left side alone", 1.2, lambda n: n.left
    yield "right side alone", 1.3, lambda n: n.right
    yield "operands exchanged", 1.2, _swap_operands
    if isinstance(node.right, ast.BinOp):
        yield "grouped from the left", 1.6, _regroup_left
    if isinstance(node.left, ast.BinOp):
        yield "grouped from the right", 1.6, _regroup_right


def _constant(node: ast.Constant, scope: EditScope) -> Iterator[Slip]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} becomes {not value}", 0.8, set_part("value", not value)
        return
    if isinstance(value, int | float):
        near = [value + 1, value - 1, -value, *scope.numbers, value + 2, value * 2, value * 10]
        if isinstance(value, int):
            near += [value // 2, value // 10, 10, 100]
        for order, other in enumerate(dict.fromkeys(near)):
            if other != value:
                yield f"{value} becomes {other}", 0.9 + 0.05 * order, set_part("value", other)
        for name in scope.names:
            yield f"{value} becomes {name}", 1.8, _become(ast.Name(name, ast.Load()))
    elif isinstance(value, str):
        for other in dict.fromkeys(
            [*scope.texts, value.swapcase(), value.lower(), value.upper(), "", " ", value.strip()]
        ):
            if other != value:
                yield f"{value!r} becomes {other!r}", 1.1, set_part("value", other)
        for index in range(min(len(value), 12)):
            yield (
                f"a letter of {value!r} dropped",
                1.5,
                set_part("value", value[:index] + value[index + 1 :]),
            )
        if value and len(set(value)) > 3:
            yield f"{value!r} with both cases", 1.6, set_part("value", value + value.swapcase())
    elif value is None:
        for other in (True, False, 0, "", -1):
            yield f"None becomes {other!r}", 1.3, set_part("value", other)
        yield "None becomes []", 1.3, _become(ast.List([], ast.Load()))


def _call(node: ast.Call) -> Iterator[Slip]:
    if len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
        yield "a call dropped", 1.1, lambda n: n.args[0]
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield "a method call dropped", 1.1, lambda n: n.func.value
    for index in range(len(node.args)):
        if len(node.args) > 1:
            yield "an argument dropped", 1.4, _drop_argument(index)
    for index in range(len(node.keywords)):
        yield "a named argument dropped", 1.1, _drop_keyword(index)
    if len(node.args) == 2:
        yield "arguments exchanged", 1.2, _swap_arguments
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "range" and len(node.args) == 1:
        yield "range from 1", 1.3, lambda n: n.args.insert(0, ast.Constant(1))
        yield "range from 2", 1.6, lambda n: n.args.insert(0, ast.Constant(2))
    attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if (name in ("sorted", "max", "min") or attribute == "sort") and not node.keywords:
        for source in ("abs", "len", "str", "lambda x: x[0]", "lambda x: x[1]", "lambda x: -x"):
            yield f"key={source}", 2.0, _add_keyword("key", source)
        if name == "sorted" or attribute == "sort":
            yield "reverse=True", 1.2, _add_keyword("reverse", "True")
    if name == "round" and len(node.args) == 1:
        yield "rounded to 2 places", 2.0, lambda n: n.args.append(ast.Constant(2))


def _name(node: ast.Name, scope: EditScope) -> Iterator[Slip]:
    for other in _related(node.id):
        yield f"{node.id} becomes {other}", 0.9, set_part("id", other)
    if node.id in scope.names:
        for other in scope.names:
            if other != node.id:
                yield f"{node.id} becomes {other}", 1.0, set_part("id", other)
                for template, cost in _JOINED:
                    source = template.format(x=node.id, y=other)
                    yield f"{node.id} becomes {source}", cost, _become(_parse(source))
        for template, cost in _ALONE:
            source = template.format(x=node.id)
            yield f"{node.id} becomes {source}", cost, _become(_parse(source))
    elif node.id in scope.functions:
        for other in scope.functions:
            if other != node.id:
                yield f"{node.id} becomes {other}", 1.5, set_part("id", other)


_JOINED = (
    ("{x}[{y}:]", 2.0),
    ("{x}[:{y}]", 2.0),
    ("{x}[{y}]", 2.0),
    ("{x} + {y}", 2.0),
    ("{x} - {y}", 2.0),
    ("{x} * {y}", 2.2),
    ("{x} % {y}", 2.3),
    ("{x} // {y}", 2.4),
)
_ALONE = (
    ("{x}[1:]", 1.7),
    ("{x}[:-1]", 1.7),
    ("{x}[::-1]", 1.6),
    ("{x}[0]", 1.8),
    ("{x}[-1]", 1.8),
    ("{x}.lower()", 1.8),
    ("{x}.upper()", 1.9),
    ("{x}.strip()", 2.1),
    ("{x}.split()", 2.1),
    ("{x} ** 2", 2.0),
    ("{x} * 2", 2.2),
    ("{x} // 2", 2.0),
    ("{x} / 2", 2.2),
    ("-{x}", 1.7),
    ("not {x}", 1.8),
    ("{x} % 2", 2.2),
)


def _expression(node: ast.expr) -> Iterator[Slip]:
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float):
        return
    if not isinstance(node, ast.Name | ast.Constant | ast.BinOp | ast.Call | ast.Subscript):
        if isinstance(node, ast.Compare | ast.BoolOp):
            yield "turned round", 1.5, lambda n: ast.UnaryOp(ast.Not(), n)
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.List):
            for wrapper in ("sorted", "set", "sum", "len"):
                yield f"{wrapper}(...)", 2.1, _wrap(wrapper)
            yield "turned over", 2.1, lambda n: _index(n, "[::-1]")
        return
    if not isinstance(node, ast.Constant):
        yield "one more", 1.3, lambda n: ast.BinOp(n, ast.Add(), ast.Constant(1))
        yield "one less", 1.3, lambda n: ast.BinOp(n, ast.Sub(), ast.Constant(1))
        for wrapper in _WRAPPERS:
            yield f"{wrapper}(...)", 1.5 if wrapper == "abs" else 2.0, _wrap(wrapper)
    if isinstance(node, ast.Subscript):
        yield "the whole instead of a part", 1.4, lambda n: n.value
        yield "turned over", 1.8, lambda n: _index(n, "[::-1]")
    if isinstance(node, ast.Call | ast.BinOp):
        yield "turned over", 2.2, lambda n: _index(n, "[::-1]")
        yield "turned round", 2.0, lambda n: ast.UnaryOp(ast.USub(), n)


def _slice() -> Iterator[Slip]:
    for part in ("lower", "upper", "step"):
        yield f"without {part} end", 1.4, set_part(part, None)
        for source in ("1", "-1", "2"):
            yield f"{part} end {source}", 1.5, set_part(part, _parse(source))
    yield "ends exchanged", 1.4, _swap_ends


def _op(op: ast.AST) -> str:
    return type(op).__name__.lower()


def _related(name: str) -> list[str]:
    return [b if a == name else a for a, b in _RELATED if name in (a, b)]


def _parse(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def _become(new: ast.expr) -> Callable[[Any], ast.AST]:
    return lambda _node: copy.deepcopy(new)


def _wrap(name: str) -> Callable[[Any], ast.AST]:
    return lambda node: ast.Call(ast.Name(name, ast.Load()), [node], [])


def _index(node: ast.expr, source: str) -> ast.AST:
    shape = _parse(f"x{source}")
    assert isinstance(shape, ast.Subscript)
    shape.value = node
    return shape


def _swap_sides(node: Any) -> None:
    assert isinstance(node, ast.Compare)
    node.left, node.comparators[0] = node.comparators[0], node.left


def _swap_operands(node: Any) -> None:
    assert isinstance(node, ast.BinOp)
    node.left, node.right = node.right, node.left


def _regroup_left(node: Any) -> ast.AST:
    assert isinstance(node, ast.BinOp) and isinstance(node.right, ast.BinOp)
    inner = ast.BinOp(node.left, node.op, node.right.left)
    return ast.BinOp(inner, node.right.op, node.right.right)


def _regroup_right(node: Any) -> ast.AST:
    assert isinstance(node, ast.BinOp) and isinstance(node.left, ast.BinOp)
    inner = ast.BinOp(node.left.right, node.op, node.right)
    return ast.BinOp(node.left.left, node.left.op, inner)


def _swap_ends(node: Any) -> None:
    assert isinstance(node, ast.Slice)
    node.lower, node.upper = node.upper, node.lower


def _drop_value(index: int) -> Callable[[Any], ast.AST | None]:
    def change(node: Any) -> ast.AST | None:
        assert isinstance(node, ast.BoolOp)
        del node.values[index]
        return node.values[0] if len(node.values) == 1 else None

    return change


def _drop_argument(index: int) -> Callable[[Any], None]:
    return lambda node: node.args.pop(index) and None


def _drop_keyword(index: int) -> Callable[[Any], None]:
    return lambda node: node.keywords.pop(index) and None


def _swap_arguments(node: Any) -> None:
    node.args.reverse()


def _add_keyword(name: str, source: str) -> Callable[[Any], None]:
    return lambda node: node.keywords.append(ast.keyword(name, _parse(source)))
