"""Generated code made readable before it is examined: what is proved is what is kept."""

import ast
import re
import textwrap

from hammerstone.core.syntax import syntax_tree
from hammerstone.synthesis.code.imports import missing_imports
from hammerstone.synthesis.code.signature import quoted

_KEPT = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_INDENT = 4


def tidy(code: str, function: str, docstring: str = "", head: str = "") -> str:
    """The module without demonstrations, unused names, dead code and noise; with a docstring
    and the imports that were forgotten.

    `head` is a line such as `def f(x: int) -> int:`; where the parameters are the same it takes
    the place of the function's own, so that hints are the spec's. Empty when the code does not
    parse or does not define the function.
    """
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    tree = _parsed(code)
    if tree is None:
        return ""
    if _is_unkempt(code, tree):
        code = ast.unparse(tree)
        tree = syntax_tree(code)
    defined = [node for node in tree.body if _defines(node, function)]
    if not defined:
        return ""
    target = defined[-1]
    kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, _KEPT)]
    kept = [node for node in kept if node is target or not _defines(node, function)]
    kept = _reachable(kept, target)
    # Not `splitlines`: the parser does not end a line at U+2028 and the like.
    lines = code.split("\n")
    parts = [(syntax_tree(line).body[0], line) for line in missing_imports(kept)]
    for node in kept:
        text = _text(node, lines, docstring if node is target else "")
        if node is target and head:
            text = _with_head(text, function, head)
        parts.append((node, text))
    source = _joined(parts)
    return source if _parsed(source) else code


def renamed(code: str, old: str, new: str) -> str:
    """The code with one of its functions under another name, wherever it is called, too."""
    tree = syntax_tree(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == old:
            node.name = new
        elif isinstance(node, ast.Name) and node.id == old:
            node.id = new
    return ast.unparse(tree)


def is_empty(code: str, function: str) -> bool:
    """Whether the function has no body: a docstring, `pass` or dots, and nothing else."""
    tree = _parsed(code)
    for node in tree.body if tree else ():
        if _defines(node, function):
            assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            return all(
                isinstance(line, ast.Pass)
                or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
                for line in node.body
            )
    return True


def _parsed(code: str) -> ast.Module | None:
    try:
        return syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_unkempt(code: str, tree: ast.Module) -> bool:
    """Whether the layout is not worth keeping: odd indentation, statements sharing a line."""
    if re.search(r"^[ ]*\t", code, re.MULTILINE):
        return True
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.ExceptHandler):
            continue
        for first in getattr(node, "body", [])[:1]:
            assert isinstance(first, ast.stmt)
            if first.lineno != node.lineno and first.col_offset != node.col_offset + _INDENT:
                return True
    statements = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return len(statements) != len(set(statements))


def _defines(node: ast.stmt, function: str) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _names(node: ast.stmt) -> set[str]:
    """The names that a top-level statement binds; a star import binds anything."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name.partition(".")[0]) for alias in node.names}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return {
        child.id for target in targets for child in ast.walk(target) if isinstance(child, ast.Name)
    }


def _used(node: ast.stmt) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _reachable(nodes: list[ast.stmt], target: ast.stmt) -> list[ast.stmt]:
    """The statements that the target needs, directly or through others."""
    wanted = _used(target)
    keep = {id(target)}
    changed = True
    while changed:
        changed = False
        for node in nodes:
            needed = bool(_names(node) & wanted) or "*" in _names(node)
            if needed and id(node) not in keep:
                keep.add(id(node))
                wanted |= _used(node)
                changed = True
    return [node for node in nodes if id(node) in keep]


def _text(node: ast.stmt, lines: list[str], docstring: str) -> str:
    """A statement's own lines without what can never run, with this docstring if there is one."""
    dead = _dead_lines(node)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return ast.unparse(node)
    numbers = range(_first_line(node), (node.end_lineno or node.lineno) + 1)
    if not docstring or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "\n".join(lines[n - 1] for n in numbers if n not in dead).rstrip()
    first = node.body[0]
    own = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    own = own and isinstance(first.value.value, str)  # type: ignore[union-attr]
    if own:
        dead |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    head = [lines[n - 1] for n in numbers if n < first.lineno and n not in dead]
    rest = [lines[n - 1] for n in numbers if n >= first.lineno and n not in dead]
    while rest and not rest[0].strip():
        rest = rest[1:]
    indent = " " * first.col_offset
    text = textwrap.indent(quoted(docstring), indent, lambda line: bool(line.strip()))
    return "\n".join([*head, text, *(rest or [f"{indent}pass"])]).rstrip()


def _dead_lines(node: ast.stmt) -> set[int]:
    """Lines of statements that stand behind a `return`, `raise`, `break` or `continue`."""
    dead: set[int] = set()
    for owner in ast.walk(node):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(owner, field, None)
            if not isinstance(block, list):
                continue
            ended = False
            for statement in block:  # type: ignore[reportUnknownVariableType]
                if not isinstance(statement, ast.stmt):
                    break
                if ended:
                    last = statement.end_lineno or statement.lineno
                    dead |= set(range(_first_line(statement), last + 1))
                ended = ended or isinstance(statement, _ENDS)
    return dead


def _with_head(text: str, function: str, head: str) -> str:
    """The function's text with this head, if both have the same parameters and nothing else."""
    tree = _parsed(text)
    wanted = _parsed(f"{head} pass")
    node = tree.body[-1] if tree else None
    other = wanted.body[0] if wanted else None
    if not isinstance(node, ast.FunctionDef) or not isinstance(other, ast.FunctionDef):
        return text
    if ast.dump(_bare(node.args)) != ast.dump(_bare(other.args)):
        return text
    if node.body[0].lineno == node.lineno:
        return text
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(f"def {function}"))
    return "\n".join([*lines[:start], head, *lines[node.body[0].lineno - 1 :]])


def _bare(arguments: ast.arguments) -> ast.arguments:
    """The parameters without hints."""
    copy = syntax_tree(f"def f({ast.unparse(arguments)}): pass").body[0]
    assert isinstance(copy, ast.FunctionDef)
    for child in ast.walk(copy.args):
        if isinstance(child, ast.arg):
            child.annotation = None
    return copy.args


def _without_trailing_spaces(text: str) -> str:
    """The text with clean line ends, unless they belong to a string."""
    clean = "\n".join(line.rstrip() for line in text.split("\n"))
    before, after = _parsed(text), _parsed(clean)
    same = before and after and ast.dump(before) == ast.dump(after)
    return clean if same else text


def _joined(parts: list[tuple[ast.stmt, str]]) -> str:
    """Imports together at the top, two empty lines around functions and classes."""
    blocks = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    imports = [text for node, text in parts if isinstance(node, ast.Import | ast.ImportFrom)]
    source = "\n".join(dict.fromkeys(imports))
    previous: ast.stmt | None = None
    for node, text in parts:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if source:
            apart = isinstance(node, blocks) or isinstance(previous, blocks)
            source += "\n\n\n" if apart else ("\n\n" if previous is None else "\n")
        source += _without_trailing_spaces(text)
        previous = node
    return source + "\n"
