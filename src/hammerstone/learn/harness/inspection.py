"""A look at a change before it runs: is it where it may be, and does it do what it may do?

What is found here is told in words. It is not the wall: changed code runs in the sandbox alone,
where no right answer is, and where the measure cannot be reached.
"""

import ast
import json
from collections.abc import Iterator

from hammerstone.core.syntax import SourceTooLarge, syntax_tree
from hammerstone.learn.harness.program import HarnessProgram
from hammerstone.learn.harness.source_copy import SourceCopy, SourceEdit
from hammerstone.learn.policies import HarnessPolicy

_REACHING = frozenset(
    {"builtins", "ctypes", "gc", "glob", "http", "importlib", "inspect", "io", "linecache", "mmap",
     "multiprocessing", "os", "pathlib", "pickle", "pkgutil", "runpy", "shutil", "signal",
     "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "threading", "traceback",
     "urllib", "zipfile", "zipimport"}
)  # fmt: skip
_CALLS = frozenset({"open", "exec", "eval", "compile", "__import__", "globals", "vars", "getattr",
                    "setattr", "delattr", "breakpoint", "input"})  # fmt: skip
_PARTS = {
    "core": "the words that everything rests on",
    "guard": "what says no",
    "sandbox": "where code is held",
    "judging": "what says whether something is right",
    "evaluation": "what measures",
    "learn": "what decides about changes",
    "tests": "the tests",
}


def refusal(
    edit: SourceEdit, copy: SourceCopy, program: HarnessProgram, policy: HarnessPolicy
) -> str:
    """Why a change is not even run, in words; empty when nothing speaks against it."""
    if not program.may_change(edit.path):
        part = edit.path.split("/")[0]
        more = f": that is {_PARTS[part]}" if part in _PARTS else ""
        return f"{edit.path} is not part of the surface {program.surface}{more}"
    before = copy.text(edit.path)
    if before is None:
        return f"there is no file {edit.path}"
    if len(edit.text) > len(before) + policy.most_edit_chars:
        return f"the change is longer than {policy.most_edit_chars:,} characters"
    if edit.path.endswith(".json"):
        return _json_refusal(edit)
    if not edit.path.endswith(".py"):
        return f"{edit.path} is neither code nor numbers"
    return _code_refusal(before, edit)


def _json_refusal(edit: SourceEdit) -> str:
    try:
        json.loads(edit.text)
    except ValueError as error:
        return f"{edit.path} is no JSON any more: {error}"
    return ""


def _code_refusal(before: str, edit: SourceEdit) -> str:
    try:
        new = set(_reaches(syntax_tree(edit.text)))
    except (SyntaxError, ValueError, SourceTooLarge, RecursionError, MemoryError) as error:
        return f"{edit.path} is no Python any more: {error}"
    more = sorted(new - set(_reaches(syntax_tree(before))))
    return f"it reaches for what it has no business with: {', '.join(more)}" if more else ""


def _reaches(tree: ast.Module) -> Iterator[str]:
    """What a module reaches for beyond its arguments: files, processes, other modules' insides."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if _outside(one.name))
        elif isinstance(node, ast.ImportFrom) and _outside(node.module or ""):
            yield node.module or ""
        elif isinstance(node, ast.Name) and node.id in _CALLS:
            yield node.id
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            yield node.attr


def _outside(module: str) -> bool:
    first = module.split(".")[0]
    own = module.startswith(("hammerstone.evaluation", "hammerstone.serve", "hammerstone.sandbox"))
    return first in _REACHING or own
