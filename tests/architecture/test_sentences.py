"""What one part tells another is a value with a kind: nobody takes a sentence apart to learn it."""

import ast
import re
from collections.abc import Iterator

from evals.house import SOURCE, modules

# Where the product's own sentences are made and passed on; below, messages of others are read.
LAYERS = (
    "core", "guard", "judging", "library", "synthesis", "run", "learn", "app", "evaluation", "serve"
)  # fmt: skip
TAKING_APART = ("startswith", "endswith", "removeprefix", "removesuffix", "partition")
_LISTED = (ast.Tuple, ast.List, ast.Set)
_WORDS = re.compile(r"[A-Za-z]{2,} ")
# Python source and tracebacks, what people and models write, and headers: nobody here made these
# texts. A hint that begins with our command is one to copy, and begins as the program was started.
_OTHERS = (
    "assert ", "def ", "import ", "from ", "with ", 'File "tool.py"', "how much", "call me",
    "my name is", "/file ", "not stated", "Bearer ", "hammerstone ",
)  # fmt: skip


def test_no_module_learns_something_from_a_sentence() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text!r}"
        for path in modules()
        if path.relative_to(SOURCE).parts[0] in LAYERS
        for line, text in _sentences(ast.parse(path.read_text("utf-8")))
        if text not in _OTHERS
    ]
    assert found == []


def _sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Words that a text is cut at, compared with, or looked for in one."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in TAKING_APART:
                parts = [part for argument in args for part in ast.walk(argument)]
            case ast.Compare(left=ast.Constant() as left, ops=[ast.In() | ast.NotIn()]):
                parts = [left]
            case ast.Compare(left=left, comparators=others):
                parts = [left, *others]
                parts += [item for one in others if isinstance(one, _LISTED) for item in one.elts]
            case _:
                continue
        texts = [part.value for part in parts if isinstance(part, ast.Constant)]
        for text in texts:
            if isinstance(text, str) and _WORDS.search(text):
                yield node.lineno, text
