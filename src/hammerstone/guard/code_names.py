"""What the names in a module stand for, as its imports say."""

import ast
from collections.abc import Mapping


def imported_names(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for: `sp` -> `subprocess`, `run` -> `subprocess.run`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                names[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def full_name(node: ast.expr, names: Mapping[str, str]) -> str | None:
    """The full name of an imported thing: `o.path.join` with `import os as o`."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join([names[node.id], *reversed(parts)])
