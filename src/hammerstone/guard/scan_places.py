"""Where code writes, as far as that can be read off it.

Every tool has two places of its own in the sandbox, gone or collected after each call: the folder
`out`, whose files become part of the answer, and `/tmp`. Writing there has no effect on anything
else, so it is nobody's business.
"""

import ast
from collections.abc import Iterator, Mapping
from enum import StrEnum

from hammerstone.guard.code_names import full_name

OWN_FOLDERS = ("out", "/tmp")  # noqa: S108 - the sandbox's, private to each call
_MOST_STEPS = 20
_GOES_ON = "\0"
_JOINING = frozenset({"os.path.join", "posixpath.join"})
_PATHS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "os.fspath"})


class WritePlace(StrEnum):
    OWN = "own"  # a place that each call has to itself
    ELSEWHERE = "elsewhere"  # the code states a path that is not
    UNKNOWN = "unknown"  # known only when it runs


class WritePlaces:
    """The places that the paths in a module stand for; `names` are its imported names."""

    def __init__(self, tree: ast.Module, names: Mapping[str, str]) -> None:
        self._names = names
        self._assigned: dict[str, list[ast.expr]] = {}
        self._open: set[str] = set()  # names that get a value nobody can read off
        for node in ast.walk(tree):
            self._note(node)

    def of(self, path: ast.expr | None) -> WritePlace:
        """The place that an expression for a path stands for."""
        if path is None or any(".." in text for text in _texts(path)):
            return WritePlace.UNKNOWN if path is None else WritePlace.ELSEWHERE
        start = self._start(path, _MOST_STEPS)
        if start is None:
            return WritePlace.UNKNOWN
        start = start.removeprefix("./")
        if any(start == own or start.startswith(f"{own}/") for own in OWN_FOLDERS):
            return WritePlace.OWN
        return WritePlace.ELSEWHERE if start.startswith(("/", "~")) else WritePlace.UNKNOWN

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                self._assigned.setdefault(target.id, []).append(node.value)
                return
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.value is not None:
                self._assigned.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.arg):
            self._open.add(node.arg)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.For | ast.With | ast.comprehension):
            self._open |= set(_bound(node))
        elif isinstance(node, ast.NamedExpr):
            self._open |= {node.target.id}

    def _start(self, node: ast.expr, left: int) -> str | None:
        """How the path begins; None where that is not in the code."""
        if left <= 0:
            return None
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.JoinedStr(values=[first, *more]):
                return self._before(first, left) if more else self._start(first, left - 1)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._start(value, left - 1)
            case ast.BinOp(left=first, op=ast.Add() | ast.Mod()):
                return self._before(first, left)
            case ast.BinOp(left=first, op=ast.Div()):
                return self._joined(first, left)
            case ast.Call(func=ast.Attribute(value=first, attr="joinpath")):
                return self._joined(first, left)
            case ast.Call(func=function, args=[first, *more]):
                return self._called(function, first, bool(more), left)
            case ast.Name(id=name) if name not in self._open:
                starts = {self._start(each, left - 1) for each in self._assigned.get(name, ())}
                return starts.pop() if len(starts) == 1 else None
            case _:
                return None

    def _called(self, function: ast.expr, first: ast.expr, more: bool, left: int) -> str | None:
        if isinstance(function, ast.Name) and function.id == "str":
            return self._start(first, left - 1)
        name = full_name(function, self._names)
        if name in _JOINING or (name in _PATHS and more):
            return self._joined(first, left)
        return self._start(first, left - 1) if name in _PATHS else None

    def _before(self, first: ast.expr, left: int) -> str | None:
        """The start of a text that goes on: `'out' + name` is no folder `out`."""
        start = self._start(first, left - 1)
        return None if start is None else f"{start}{_GOES_ON}"

    def _joined(self, first: ast.expr, left: int) -> str | None:
        start = self._start(first, left - 1)
        return None if start is None else f"{start.rstrip('/')}/"


def _texts(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _bound(node: ast.AST) -> Iterator[str]:
    """Names that a statement gives values to, other than by a plain assignment."""
    match node:
        case ast.Assign(targets=targets):
            places = list(targets)
        case ast.AugAssign(target=target) | ast.For(target=target):
            places = [target]
        case ast.comprehension(target=target):
            places = [target]
        case ast.With(items=items):
            places = [item.optional_vars for item in items if item.optional_vars is not None]
        case _:
            places = []
    for place in places:
        for part in ast.walk(place):
            if isinstance(part, ast.Name):
                yield part.id
