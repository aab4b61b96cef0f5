"""Prompts are files: no module writes one itself, and each file is loaded and filled rightly."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hammerstone
from hammerstone.prompts import load

ROOT = Path(hammerstone.__file__).parent
FILES = {path.stem for path in (ROOT / "prompts").glob("*.md")}
EXEMPT = {"prompts/__init__.py", "core/chat.py"}  # fills messages; defines them
MODULES = {
    place: ast.parse(path.read_text("utf-8"))
    for path in sorted(ROOT.rglob("*.py"))
    if (place := str(path.relative_to(ROOT))) not in EXEMPT
}


def written_messages(tree: ast.Module) -> list[int]:
    """The lines that make a message or a prompt from texts of their own."""
    names = {"Message": "Message", "Prompt": "Prompt"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "hammerstone.core.chat":
            names |= {one.asname: one.name for one in node.names if one.asname}
    found: list[int] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        path = ast.unparse(node.func).split(".")
        last = names.get(path[-1], path[-1])
        owner = names.get(path[-2], path[-2]) if len(path) > 1 else ""
        if last == "Message" or (owner, last) == ("Prompt", "of"):
            found.append(node.lineno)
    return found


def loads(tree: ast.Module) -> Iterator[tuple[ast.Call, ast.Call | None]]:
    """Each call of `load` from `hammerstone.prompts`, with the call of `fill` on what it gives."""
    imported = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "hammerstone.prompts"
        and any(one.name == "load" for one in node.names)
        for node in ast.walk(tree)
    )
    if not imported:
        return
    fills = {
        id(node.func.value): node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "fill"
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "load"
        ):
            yield node, fills.get(id(node))


LOADS = [(place, *pair) for place, tree in MODULES.items() for pair in loads(tree)]


def _name(call: ast.Call) -> str:
    (name,) = call.args
    assert isinstance(name, ast.Constant), f"line {call.lineno}: the name is not written out"
    return str(name.value)


def test_no_module_writes_its_own_prompt() -> None:
    assert not {
        place: lines for place, tree in MODULES.items() if (lines := written_messages(tree))
    }


@pytest.mark.parametrize(
    "code",
    [
        'Message("system", "You are kind.")',
        'Message("system", _SYSTEM)',
        'Message(author="user", text=f"Request: {text}")',
        'chat.Message("system", text)',
        'Prompt.of("You are kind.", text)',
        "chat.Prompt.of(_SYSTEM, text)",
        'from hammerstone.core.chat import Message as M\nM("system", "You are kind.")',
    ],
)
def test_a_prompt_in_a_module_would_be_found(code: str) -> None:
    assert written_messages(ast.parse(code))


def test_every_prompt_is_loaded_and_every_loaded_prompt_exists() -> None:
    assert {_name(call) for _, call, _ in LOADS} == FILES


@pytest.mark.parametrize(
    ("place", "call", "fill"), LOADS, ids=[f"{place}:{call.lineno}" for place, call, _ in LOADS]
)
def test_a_prompt_is_given_what_it_asks_for(
    place: str, call: ast.Call, fill: ast.Call | None
) -> None:
    assert fill is not None, "it is loaded and not filled"
    prompt = load(_name(call))
    assert {keyword.arg for keyword in fill.keywords} == set(prompt.given)
    assert bool(fill.args) == bool(prompt.parts)
