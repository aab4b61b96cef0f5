"""Generated code made readable before it is examined: what is proved is what is kept."""

import ast
import textwrap

from hammerstone.synthesis.signature import quoted

_KEPT = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
)


def tidy(code: str, function: str, docstring: str = "") -> str:
    """The module without demonstrations, unused names and noise; with a docstring.

    Empty when the code does not parse or does not define the function.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    defined = [node for node in tree.body if _defines(node, function)]
    if not defined:
        return ""
    target = defined[-1]
    kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, _KEPT)]
    kept = [node for node in kept if node is target or not _defines(node, function)]
    kept = _reachable(kept, target)
    lines = code.splitlines()
    parts: list[tuple[ast.stmt, str]] = []
    for node in kept:
        text = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        if node is target and docstring:
            text = _with_docstring(lines, target, docstring)
        parts.append((node, text.rstrip()))
    source = _joined(parts)
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return code  # several statements on one line: leave it as it was written
    return source


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


def _with_docstring(lines: list[str], target: ast.stmt, docstring: str) -> str:
    """The function's text with this docstring in place of its own."""
    assert isinstance(target, ast.FunctionDef | ast.AsyncFunctionDef)
    first = target.body[0]
    own = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    own = own and isinstance(first.value.value, str)  # type: ignore[union-attr]
    if first.lineno == target.lineno or (own and len(target.body) == 1):
        return "\n".join(lines[_first_line(target) - 1 : target.end_lineno])
    body_start = first.end_lineno if own and first.end_lineno else first.lineno - 1
    head_end = first.lineno - 1
    indent = " " * first.col_offset
    text = quoted(docstring)
    head = lines[_first_line(target) - 1 : head_end]
    rest = lines[body_start : target.end_lineno]
    while rest and not rest[0].strip():
        rest = rest[1:]
    return "\n".join([*head, textwrap.indent(text, indent, lambda line: bool(line.strip())), *rest])


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
        source += text
        previous = node
    return source + "\n"
