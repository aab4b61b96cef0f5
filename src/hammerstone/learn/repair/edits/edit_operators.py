"""Edit operators: small mistakes that people make, each as a change of one node that undoes it."""

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from hammerstone.judging.edit_operators import (
    MISTAKEN_NAMES,
    OPPOSITES,
    exchange_and_or,
    negate_test,
    set_comparison,
    set_part,
    sign_of,
)
from hammerstone.learn.repair.edits.blocks import block_edits
from hammerstone.learn.repair.edits.node_changes import (
    EditScope,
    NodeEdit,
    add_keyword,
    become,
    drop_argument,
    drop_keyword,
    drop_value,
    expression,
    regroup_left,
    regroup_right,
    reverse,
    swap_arguments,
    swap_ends,
    swap_operands,
    swap_sides,
    wrap,
)

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
_JOINED = (
    "{x}[{y}:]",
    "{x}[:{y}]",
    "{x}[{y}]",
    "{x} + {y}",
    "{x} - {y}",
    "{x} * {y}",
    "{x} % {y}",
    "{x} // {y}",
)
_ALONE = (
    "{x}[1:]",
    "{x}[:-1]",
    "{x}[::-1]",
    "{x}[0]",
    "{x}[-1]",
    "{x}.lower()",
    "{x}.upper()",
    "{x}.strip()",
    "{x}.split()",
    "{x} ** 2",
    "{x} * 2",
    "{x} // 2",
    "{x} / 2",
    "-{x}",
    "not {x}",
    "{x} % 2",
)


def name_edits(node: ast.Name, scope: EditScope) -> Iterator[NodeEdit]:
    if not isinstance(node.ctx, ast.Load):
        return
    for other in _related(node.id):
        yield f"{node.id} becomes {other}", set_part("id", other)
    if node.id in scope.names:
        yield from _variable(node.id, scope)
    elif node.id in scope.functions:
        for other in scope.functions:
            if other != node.id:
                yield f"{node.id} becomes {other}", set_part("id", other)


def attribute_edits(node: ast.Attribute, _scope: EditScope) -> Iterator[NodeEdit]:
    for other in _related(node.attr):
        yield f"{node.attr} becomes {other}", set_part("attr", other)


def _variable(name: str, scope: EditScope) -> Iterator[NodeEdit]:
    for other in scope.names:
        if other != name:
            yield f"{name} becomes {other}", set_part("id", other)
            for template in _JOINED:
                source = template.format(x=name, y=other)
                yield f"{name} becomes {source}", become(expression(source))
    for template in _ALONE:
        source = template.format(x=name)
        yield f"{name} becomes {source}", become(expression(source))


def _related(name: str) -> list[str]:
    return [b if a == name else a for a, b in _RELATED if name in (a, b)]


_COMPARE = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_WRAPPERS = ("abs", "int", "len", "sorted", "set", "list", "str", "sum", "round", "float")


def node_edits(node: ast.AST, scope: EditScope) -> Iterator[NodeEdit]:
    """Every edit that may take back a mistake at a node."""
    for kinds, operator in _OPERATORS:
        if isinstance(node, kinds):
            yield from operator(node, scope)


def _comparison(node: ast.Compare, _scope: EditScope) -> Iterator[NodeEdit]:
    for index, old in enumerate(node.ops):
        kinds = _COMPARE if isinstance(old, _COMPARE) else (OPPOSITES.get(type(old), type(old)),)
        for kind in kinds:
            if not isinstance(old, kind):
                yield f"{sign_of(type(old))} becomes {sign_of(kind)}", set_comparison(index, kind)
    if len(node.ops) == 1:
        yield "the two sides of the comparison swapped", swap_sides


def _binary(node: ast.BinOp, _scope: EditScope) -> Iterator[NodeEdit]:
    for op in (*_BINARY, *_BITS):
        if not isinstance(node.op, op):
            yield f"{sign_of(type(node.op))} becomes {sign_of(op)}", set_part("op", op)
    yield "only the left side", lambda n: n.left
    yield "only the right side", lambda n: n.right
    yield "the two sides swapped", swap_operands
    if isinstance(node.right, ast.BinOp):
        yield "brackets around the left part", regroup_left
    if isinstance(node.left, ast.BinOp):
        yield "brackets around the right part", regroup_right


def _assignment(node: ast.AugAssign, _scope: EditScope) -> Iterator[NodeEdit]:
    for op in (*_BINARY, *_BITS):
        if not isinstance(node.op, op):
            yield f"{sign_of(type(node.op))} becomes {sign_of(op)}", set_part("op", op)
    yield "a plain = instead of a calculation", lambda n: ast.Assign([n.target], n.value)


def _junction(node: ast.BoolOp, _scope: EditScope) -> Iterator[NodeEdit]:
    yield "`and` and `or` swapped", exchange_and_or
    for index in range(len(node.values)):
        yield "a condition removed", drop_value(index)


def _sign(_node: ast.UnaryOp, _scope: EditScope) -> Iterator[NodeEdit]:
    yield "the minus or `not` removed", lambda n: n.operand


def _condition(node: ast.AST, _scope: EditScope) -> Iterator[NodeEdit]:
    yield "the condition reversed", negate_test
    if isinstance(node, ast.If):
        yield "`while` instead of `if`", lambda n: ast.While(n.test, n.body, n.orelse)


def _slice(_node: ast.Slice, _scope: EditScope) -> Iterator[NodeEdit]:
    for part in ("lower", "upper", "step"):
        yield f"without the {part} bound", set_part(part, None)
        for source in ("1", "-1", "2"):
            yield f"{part} bound {source}", set_part(part, expression(source))
    yield "the two bounds swapped", swap_ends


def _result(node: ast.Return, scope: EditScope) -> Iterator[NodeEdit]:
    if node.value is not None:
        for name in scope.names:
            yield f"returns {name}", set_part("value", ast.Name(name, ast.Load()))


def _filter(node: ast.comprehension, _scope: EditScope) -> Iterator[NodeEdit]:
    if node.ifs:
        yield "the filter removed", lambda n: setattr(n, "ifs", [])


def _expression(node: ast.expr, _scope: EditScope) -> Iterator[NodeEdit]:
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    if isinstance(node, ast.Name | ast.BinOp | ast.Call | ast.Subscript):
        yield "1 added", lambda n: ast.BinOp(n, ast.Add(), ast.Constant(1))
        yield "1 taken away", lambda n: ast.BinOp(n, ast.Sub(), ast.Constant(1))
        for wrapper in _WRAPPERS:
            yield f"{wrapper}(...)", wrap(wrapper)
    if isinstance(node, ast.Compare | ast.BoolOp):
        yield "`not` added", lambda n: ast.UnaryOp(ast.Not(), n)
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.List):
        for wrapper in ("sorted", "set", "sum", "len"):
            yield f"{wrapper}(...)", wrap(wrapper)
        yield "the order reversed", reverse
    if isinstance(node, ast.Subscript):
        yield "the whole value instead of a part", lambda n: n.value
        yield "the order reversed", reverse
    if isinstance(node, ast.Call | ast.BinOp):
        yield "the order reversed", reverse
        yield "the sign changed", lambda n: ast.UnaryOp(ast.USub(), n)


def _block(node: ast.AST, _scope: EditScope) -> Iterator[NodeEdit]:
    return block_edits(node)


_SORT_KEYS = ("abs", "len", "str", "lambda x: x[0]", "lambda x: x[1]", "lambda x: -x")


def call_edits(node: ast.Call, _scope: EditScope) -> Iterator[NodeEdit]:
    yield from _without(node)
    yield from _arguments(node)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name == "range" and len(node.args) == 1:
        yield "range from 1", lambda n: n.args.insert(0, ast.Constant(1))
        yield "range from 2", lambda n: n.args.insert(0, ast.Constant(2))
    if not node.keywords:
        yield from _order(name, method)
    if name == "round" and len(node.args) == 1:
        yield "rounded to 2 places", lambda n: n.args.append(ast.Constant(2))


def _without(node: ast.Call) -> Iterator[NodeEdit]:
    if len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
        yield "a call removed", lambda n: n.args[0]
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield "a method call removed", lambda n: n.func.value


def _arguments(node: ast.Call) -> Iterator[NodeEdit]:
    if len(node.args) > 1:
        for index in range(len(node.args)):
            yield "an argument removed", drop_argument(index)
    for index in range(len(node.keywords)):
        yield "a named argument removed", drop_keyword(index)
    if len(node.args) == 2:
        yield "two arguments swapped", swap_arguments


def _order(name: str, method: str) -> Iterator[NodeEdit]:
    if name in ("sorted", "max", "min") or method == "sort":
        for source in _SORT_KEYS:
            yield f"key={source}", add_keyword("key", source)
    if name == "sorted" or method == "sort":
        yield "reverse=True", add_keyword("reverse", "True")


def constant_edits(node: ast.Constant, scope: EditScope) -> Iterator[NodeEdit]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} becomes {not value}", set_part("value", not value)
    elif isinstance(value, int | float):
        yield from _number(value, scope)
    elif isinstance(value, str):
        yield from _text(value, scope)
    elif value is None:
        for other in (True, False, 0, "", -1):
            yield f"None becomes {other!r}", set_part("value", other)
        yield "None becomes []", become(ast.List([], ast.Load()))


def _number(value: int | float, scope: EditScope) -> Iterator[NodeEdit]:
    near = [value + 1, value - 1, -value, *scope.numbers, value + 2, value * 2, value * 10]
    if isinstance(value, int):
        near += [value // 2, value // 10, 10, 100]
    for other in dict.fromkeys(near):
        if other != value:
            yield f"{value} becomes {other}", set_part("value", other)
    for name in scope.names:
        yield f"{value} becomes {name}", become(ast.Name(name, ast.Load()))


def _text(value: str, scope: EditScope) -> Iterator[NodeEdit]:
    near = [*scope.texts, value.swapcase(), value.lower(), value.upper(), "", " ", value.strip()]
    for other in dict.fromkeys(near):
        if other != value:
            yield f"{value!r} becomes {other!r}", set_part("value", other)
    for index in range(min(len(value), 12)):
        shorter = value[:index] + value[index + 1 :]
        yield f"a letter of {value!r} removed", set_part("value", shorter)
    if value and len(set(value)) > 3:
        yield f"{value!r} in upper and lower case", set_part("value", value + value.swapcase())


_Operator: TypeAlias = Callable[[Any, EditScope], Iterator[NodeEdit]]
_OPERATORS: tuple[tuple[tuple[type[ast.AST], ...], _Operator], ...] = (
    ((ast.Compare,), _comparison),
    ((ast.BinOp,), _binary),
    ((ast.AugAssign,), _assignment),
    ((ast.BoolOp,), _junction),
    ((ast.UnaryOp,), _sign),
    ((ast.If, ast.While, ast.IfExp), _condition),
    ((ast.Slice,), _slice),
    ((ast.Return,), _result),
    ((ast.comprehension,), _filter),
    ((ast.Constant,), constant_edits),
    ((ast.Call,), call_edits),
    ((ast.Name,), name_edits),
    ((ast.Attribute,), attribute_edits),
    ((ast.expr,), _expression),
    ((ast.For, ast.While, ast.If, ast.With), _block),
)
"""Kinds of nodes and their operators, in the order in which the edits are tried."""
