"""Which candidates are alike: in what they do, and in how they are written.

A candidate is taken as a partial function: where it raises, hangs or dies it says nothing.
One that says the same as another and says it on more inputs covers the other one, and takes
over its votes: on a valid input silence is wrong, on an invalid one it does not matter. So a
majority that crashes on lists of odd length loses to the two candidates that do not. Two programs
have one form when they differ in names and comments alone.
"""

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.syntax import syntax_tree
from hammerstone.judging.labels import Labels

Cells = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BehaviourGroup:
    """One behaviour: what it returns per column, and who stands behind it."""

    labels: Cells
    exact: tuple[int, ...]  # draws that return exactly this
    covered: tuple[int, ...]  # draws that return this wherever they return something
    votes: float


def group(
    cells: Cells, raising: Collection[int] = (), *, covering: bool = True
) -> list[BehaviourGroup]:
    """The behaviours of the drawn candidates, one row each, most votes first.

    In the columns of `raising` an exception is an answer like any other; without `covering`
    it is one everywhere.
    """
    patterns: dict[bytes, list[int]] = {}
    for draw in range(len(cells)):
        patterns.setdefault(cells[draw].tobytes(), []).append(draw)
    members = list(patterns.values())
    distinct = cells[[draws[0] for draws in members]]
    defined = (distinct >= 0) if covering else np.ones(distinct.shape, bool)
    for column in raising:
        defined[:, column] |= distinct[:, column] == Labels.RAISED
    covers = _covers(distinct, defined)
    heads = _heads(covers)
    counts = np.array([len(draws) for draws in members], float)
    votes = np.zeros(len(heads))
    for pattern in range(len(members)):
        above = [place for place, head in enumerate(heads) if covers[head, pattern]]
        weights = counts[[heads[place] for place in above]]
        votes[above] += counts[pattern] * weights / weights.sum()
    groups = [
        BehaviourGroup(
            labels=distinct[head],
            exact=tuple(members[head]),
            covered=_flat(members[p] for p in range(len(members)) if covers[head, p]),
            votes=float(votes[place]),
        )
        for place, head in enumerate(heads)
    ]
    return sorted(groups, key=lambda one: -one.votes)


def _covers(distinct: Cells, defined: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """covers[a, b]: a returns what b returns wherever b returns something."""
    count = len(distinct)
    covers = np.zeros((count, count), bool)
    for a in range(count):
        agrees = (distinct == distinct[a]) & defined[a]
        covers[a] = (agrees | ~defined).all(axis=1)
    return covers


def _heads(covers: NDArray[np.bool_]) -> list[int]:
    """Those that no other covers; of those that cover each other, the first."""
    heads: list[int] = []
    for pattern in range(len(covers)):
        beaten = covers[:, pattern] & ~covers[pattern, :]
        twin = any(covers[head, pattern] for head in heads)
        if not beaten.any() and not twin:
            heads.append(pattern)
    return heads


def _flat(parts: Iterable[list[int]]) -> tuple[int, ...]:
    return tuple(sorted(draw for part in parts for draw in part))


@dataclass(frozen=True, slots=True)
class ResultForm:
    shape: str  # equal for programs that differ only in names, hints and docstrings
    size: int  # nodes of the syntax tree


_PARTS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
    ast.Assign, ast.AnnAssign,
)  # fmt: skip


@lru_cache(maxsize=256)
def form_of(code: str) -> ResultForm:
    """The form of a program; top-level statements that only run something are left out."""
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ResultForm(code, 10**6)
    tree.body = [node for node in tree.body if isinstance(node, _PARTS)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            _drop_docstring(node)
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    names: dict[str, str] = {}
    for node in ast.walk(tree):  # again: a walk still visits what it saw before it was dropped
        if isinstance(node, ast.arg):
            node.arg = names.setdefault(node.arg, f"n{len(names)}")
        elif isinstance(node, ast.Name):
            node.id = names.setdefault(node.id, f"n{len(names)}")
    return ResultForm(ast.dump(tree), sum(1 for _ in ast.walk(tree)))


def _drop_docstring(node: ast.FunctionDef | ast.ClassDef) -> None:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        node.body = node.body[1:] or [ast.Pass()]
