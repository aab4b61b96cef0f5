"""Small edits of a program: the fixes that people make most often, without any model.

Each edit changes one place. Most bugs that people put in are one wrong operator, number, name
or call, or a missing or superfluous piece; undoing each such mistake in turn gives a few hundred
programs, which the sandbox tries in about a second.
"""

import ast
import pickle
from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.judging.edit_operators import edited
from hammerstone.learn.repair.edits.blocks import block_edits
from hammerstone.learn.repair.edits.edit_operators import node_edits
from hammerstone.learn.repair.edits.node_changes import EditScope

MAX_EDITS = 4000


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited program; `size` is how many characters of the text are other ones."""

    code: str
    change: str
    size: int


def edits(
    code: str, function: str, *, texts: Sequence[str] = (), limit: int = MAX_EDITS
) -> list[Edit]:
    """Programs that differ from `code` in one place of `function`, the smallest changes first.

    `texts` are short strings, from the description for instance, that a constant may become.
    """
    try:
        tree = ast.parse(code)
        target = next((n for n in tree.body if _is_function(n, function)), None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if not isinstance(target, ast.FunctionDef):
        return []
    place = tree.body.index(target)
    before = "\n".join(ast.unparse(node) for node in tree.body[:place])
    after = "\n".join(ast.unparse(node) for node in tree.body[place + 1 :])
    scope = _scope(tree, target, texts)
    frozen = pickle.dumps(target)
    old = ast.unparse(target)
    found: dict[str, Edit] = {}
    text_of = _docstring(target)
    for position, node in enumerate(ast.walk(target)):
        if node is text_of:
            continue
        changes = block_edits(node) if node is target else node_edits(node, scope)
        line = getattr(node, "lineno", target.lineno)
        for what, change in changes:
            text = edited(frozen, position, change)
            if text and text != old and text not in found:
                whole = f"{before}\n\n\n{text}\n\n\n{after}".strip() + "\n"
                found[text] = Edit(whole, f"line {line}: {what}", _changed(old, text))
    return sorted(found.values(), key=lambda edit: edit.size)[:limit]


def _changed(old: str, new: str) -> int:
    """The length of what lies between the common beginning and the common end."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    return max(len(old), len(new)) - start - end


def _common(one: str, other: str) -> int:
    """The length of the common beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _is_function(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == name


def _docstring(target: ast.FunctionDef) -> ast.AST | None:
    first = target.body[0]
    return first.value if isinstance(first, ast.Expr) else None


def _scope(tree: ast.Module, target: ast.AST, texts: Sequence[str]) -> EditScope:
    """The names and constants of the function, which an edit may use elsewhere."""
    names: dict[str, None] = {}
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    numbers: dict[int | float, None] = {0: None, 1: None, 2: None}
    strings: dict[str, None] = dict.fromkeys(texts)
    for node in ast.walk(target):
        match node:
            case ast.arg(arg=name):
                names[name] = None
            case ast.Name(id=name, ctx=ast.Store()):
                names[name] = None
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as value):
                numbers[value] = None
            case ast.Constant(value=str() as value) if len(value) <= 30:
                strings[value] = None
            case _:
                pass
    return EditScope(tuple(names), tuple(functions), tuple(numbers), tuple(strings)[:24])
