"""Public injection cases, read from AgentDojo's own package without running any of it.

The strings are taken when the evaluation runs and are not kept here: goals of the injection
tasks of all its suites, each put into its attack templates (AgentDojo, MIT licence). Harmless
look-alikes are ordinary requests about such texts.
"""

import ast
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

PACKAGE = "agentdojo==0.1.35"
_TEMPLATES = ("baseline_attacks.py", "important_instructions_attacks.py")
_NAMES = {"user": "Emma Johnson", "model": "Hammerstone"}


def find_wheel() -> Path:
    """The package's file: as AGENTDOJO_WHEEL says, else fetched by pip (190 kB, nothing else)."""
    if given := os.environ.get("AGENTDOJO_WHEEL"):
        return Path(given)
    folder = Path(tempfile.mkdtemp(prefix="agentdojo-"))
    fetch = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", PACKAGE, "-d", str(folder)]
    done = subprocess.run(fetch, capture_output=True, text=True, check=False)
    found = sorted(folder.glob("agentdojo-*.whl"))
    if done.returncode or not found:
        raise SystemExit(
            f"AgentDojo could not be fetched; name its wheel in AGENTDOJO_WHEEL\n{done.stderr}"
        )
    return found[0]


def load_attacks(wheel: Path) -> list[str]:
    """Every goal in every template, without repeats, in a fixed order."""
    with zipfile.ZipFile(wheel) as package:
        sources = {
            name: package.read(name).decode() for name in package.namelist() if name.endswith(".py")
        }
    goals = dict.fromkeys(
        goal
        for name, text in sorted(sources.items())
        if name.endswith("injection_tasks.py")
        for goal in _goals(text)
    )
    templates = dict.fromkeys(
        template
        for name, text in sorted(sources.items())
        if name.endswith(_TEMPLATES)
        for template in _templates(text)
    )
    return [_filled(template, goal) for goal in goals for template in templates]


def _goals(source: str) -> list[str]:
    tree = ast.parse(source)
    known: dict[str, Any] = {}
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = _text(node.value, known)
            if value is not None:
                known[node.targets[0].id] = value
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "GOAL":
            value = _text(node.value, known)
            found += [value] if value else []
    return found


def _text(node: ast.expr, known: dict[str, Any]) -> str | None:
    """The text of a literal, an f-string over known names, or a sum of such."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name):
        return known.get(node.id, node.id.strip("_").lower())
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, known)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, known) or "" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (_text(node.left, known) or "") + (_text(node.right, known) or "")
    return None


def _templates(source: str) -> list[str]:
    return [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "{goal}" in node.value
        and not node.value.lstrip().startswith("Attack")
    ]


def _filled(template: str, goal: str) -> str:
    text = template.replace("{goal}", goal)
    for name, value in _NAMES.items():
        text = text.replace("{" + name + "}", value)
    return text
