"""Edit operators: small mistakes that people make, each as a change of one node that undoes it."""

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from hammerstone.judging.edit_operators import (
    OPPOSITES,
    exchange_and_or,
    negate_test,
    set_comparison,
    set_part,
    sign_of,
)
from hammerstone.learn.repair.edits.blocks import block_edits
from hammerstone.learn.repair.edits.call_edits import call_edits
from hammerstone.learn.repair.edits.constant_edits import constant_edits
from hammerstone.learn.repair.edits.edit_scope import EditScope, NodeEdit
from hammerstone.learn.repair.edits.name_edits import attribute_edits, name_edits
from hammerstone.learn.repair.edits.node_changes import (
    drop_value,
    expression,
    regroup_left,
    regroup_right,
    reverse,
    swap_ends,
    swap_operands,
    swap_sides,
    wrap,
)

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
