"""What a program looks like when names and comments do not count."""

import ast
from dataclasses import dataclass
from functools import lru_cache

from hammerstone.core.syntax import syntax_tree


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
