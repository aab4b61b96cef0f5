"""Places in our own source where a mutant can be made, and the mutants themselves.

The changes are those of `judging.mutants`, which are made for small generated functions, and a few
that only whole programs have: a statement or a guard left out, a `not` left out, a comparison or a
result turned round, two arguments exchanged. Left alone is what no test should have to notice:
docstrings, annotations, decorators, `__repr__`, `if TYPE_CHECKING`, lists of words at the level of
a module, unions of types, evaluations and starter tools.
"""

import ast
import copy
import pickle
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evals.line_tests import LAYERS, SOURCE
from hammerstone.judging.edit_operators import Change, edited, set_comparison, sign_of
from hammerstone.judging.mutants import changes

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEFT_OUT = (ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)
_TYPES = {"None", "int", "str", "float", "bool", "list", "dict", "tuple", "set", "bytes", "object"}


@dataclass(frozen=True, slots=True)
class Place:
    """One change at one node of a source file."""

    file: str  # below src/hammerstone
    node: int  # in the order of `ast.walk`
    number: int  # which of the node's changes
    line: int
    lines: range  # what has to run for the change to be noticed
    statement: range  # the whole statement, where the lines of the node are not traced
    function: str  # that it is in, with the class or function around it
    at_import: bool
    what: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line} {self.what} ({self.node}.{self.number})"


def source_files(only: str | None = None) -> list[Path]:
    return [
        path
        for layer in ([only] if only else LAYERS)
        for path in sorted((SOURCE / layer).rglob("*.py"))
        if not {"evaluation", "starter"} & set(path.parts) and path.name != "evaluation.py"
    ]


def places(path: Path) -> list[Place]:
    """Every place of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    name = str(path.relative_to(SOURCE))
    left_alone = {id(node) for root in _left_alone(tree) for node in ast.walk(root)}
    homes = _homes(tree)
    found: list[Place] = []
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in left_alone or id(node) not in homes:
            continue
        home = homes[id(node)]
        for number, (what, _) in enumerate(_all_changes(node)):
            if home.at_import and isinstance(node, ast.Constant) and isinstance(node.value, str):
                continue  # a list of words
            part = getattr(node, "test", node)
            lines = range(part.lineno, (part.end_lineno or part.lineno) + 1)
            found.append(Place(name, index, number, part.lineno, lines, *home, what))
    return found


def sample(count: int, seed: int, only: str | None = None) -> list[Place]:
    """Places drawn evenly over the nodes, one change each; a seed draws the same again."""
    nodes: dict[tuple[str, int], list[Place]] = defaultdict(list)
    for path in source_files(only):
        for place in places(path):
            nodes[place.file, place.node].append(place)
    draw = random.Random(seed)
    drawn = draw.sample(sorted(nodes), min(count, len(nodes)))
    return [draw.choice(nodes[node]) for node in drawn]


def mutated(place: Place) -> str:
    """The source file with the change; empty where it makes no difference."""
    tree = ast.parse((SOURCE / place.file).read_text("utf-8"))
    node = next(node for index, node in enumerate(ast.walk(tree)) if index == place.node)
    change = [change for _, change in _all_changes(node)][place.number]
    before = ast.unparse(tree)
    after = edited(pickle.dumps(tree), place.node, change)
    return after if after != before else ""


def plain(file: str) -> str:
    """The source file without a change, written in the same way as a mutant."""
    return ast.unparse(ast.parse((SOURCE / file).read_text("utf-8")))


class _Home(NamedTuple):
    """Where a node stands: the lines of its statement, its function, whether it runs at import."""

    statement: range
    function: str
    at_import: bool


def _homes(tree: ast.Module) -> dict[int, _Home]:
    found: dict[int, _Home] = {}

    def visit(node: ast.AST, home: _Home) -> None:
        if isinstance(node, ast.stmt):
            end = node.end_lineno or node.lineno
            for inner in (getattr(node, "body", None), getattr(node, "cases", None)):
                if inner:
                    first = inner[0]
                    end = min(end, getattr(first, "lineno", end + 1) - 1)
            home = home._replace(statement=range(node.lineno, max(end, node.lineno) + 1))
        if hasattr(node, "lineno"):
            found[id(node)] = home
        inside = isinstance(node, (*_FUNCTIONS, ast.Lambda))
        body = node.body if inside and isinstance(node.body, list) else []
        named = home._replace(function=_qualified(home.function, node))
        for child in ast.iter_child_nodes(node):
            within = any(child is part for part in body) or isinstance(node, ast.Lambda)
            visit(child, named._replace(at_import=False) if within else named)

    visit(tree, _Home(range(0), "", True))
    return found


def _qualified(outer: str, node: ast.AST) -> str:
    """The name that Python gives what is defined here, `Class.method` or `f.<locals>.g`."""
    within = f"{outer}.<locals>." if outer and not outer.endswith(".") else outer
    match node:
        case ast.ClassDef(name=name):
            return f"{within}{name}."
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"{within}{name}"
        case _:
            return outer


def _left_alone(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name="__repr__") | ast.Import() | ast.ImportFrom():
                yield node
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield node
            case ast.Expr(value=ast.Constant()):
                yield node
            case ast.BinOp(op=ast.BitOr(), left=left, right=right) if _type(left) or _type(right):
                yield node
            case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
                yield node
            case _:
                pass
        for field in ("annotation", "returns"):
            if isinstance(part := getattr(node, field, None), ast.AST):
                yield part
        yield from getattr(node, "decorator_list", ())


def _type(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=None):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _TYPES or (name[:1].isupper() and not name.isupper())
        case ast.Subscript(value=value):
            return _type(value)
        case _:
            return False


def _all_changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    yield from changes(node)
    match node:
        case ast.Compare(ops=[first]) if type(first) in _TURNED:
            other = _TURNED[type(first)]
            yield f"{sign_of(type(first))} became {sign_of(other)}", set_comparison(0, other)
        case ast.UnaryOp(op=ast.Not()):
            yield "not left out", lambda node: node.operand
        case ast.Return(value=ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not())):
            yield "result turned round", _turn_result
        case ast.Call(args=[first, second, *_]) if not _starred(first, second):
            yield "first two arguments exchanged", _exchange_arguments
        case (
            ast.Expr(value=ast.Call() | ast.Await())
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ):
            yield "statement left out", _leave_out
        case ast.If(orelse=[], body=[ast.Return() | ast.Raise() | ast.Continue()]):
            yield "guard left out", _leave_out
        case _ if isinstance(node, _LEFT_OUT):
            yield "statement left out", _leave_out


def _starred(*arguments: ast.expr) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in arguments)


def _leave_out(node: ast.stmt) -> ast.AST:
    return ast.copy_location(ast.Pass(), node)


def _turn_result(node: ast.Return) -> None:
    if node.value is not None:
        node.value = ast.UnaryOp(ast.Not(), copy.deepcopy(node.value))


def _exchange_arguments(node: ast.Call) -> None:
    node.args[0], node.args[1] = node.args[1], node.args[0]
