"""Edits of blocks: all of them for small programs, nothing missing and nothing beside."""

import ast
import copy
from textwrap import dedent

import pytest

from hammerstone.learn.repair.edits.blocks import block_edits


def edited(code: str) -> list[tuple[str, str]]:
    """What each edit of the first statement says, and what it makes of the program."""
    tree = ast.parse(dedent(code))
    found: list[tuple[str, str]] = []
    for place, (said, _) in enumerate(block_edits(tree.body[0])):
        changed = copy.deepcopy(tree)
        node = changed.body[0]
        list(block_edits(node))[place][1](node)
        found.append((said, ast.unparse(ast.fix_missing_locations(changed))))
    return found


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("for x in y:\n    a()", []),
        ("for x in y:\n    'text'\n    a()", [("a statement removed", "for x in y:\n    'text'")]),
        (
            "for x in y:\n    a()\n    b()",
            [
                ("a statement removed", "for x in y:\n    b()"),
                ("two statements swapped", "for x in y:\n    b()\n    a()"),
                ("a statement removed", "for x in y:\n    a()"),
            ],
        ),
        (
            "while x:\n    if y:\n        a()",
            [("only what the condition guards", "while x:\n    a()")],
        ),
        (
            "while x:\n    if y:\n        a()\n        b()",
            [
                ("only what the condition guards", "while x:\n    a()\n    b()"),
                ("the last statement after the block",
                 "while x:\n    if y:\n        a()\n    b()"),
            ],
        ),
        (
            "while x:\n    for i in y:\n        a()\n    b()",
            [
                ("a statement removed", "while x:\n    b()"),
                ("two statements swapped",
                 "while x:\n    b()\n    for i in y:\n        a()"),
                ("the next statement inside the block",
                 "while x:\n    for i in y:\n        a()\n        b()"),
                ("a statement removed", "while x:\n    for i in y:\n        a()"),
            ],
        ),
        ("for x in y:\n    break",
         [("continue instead of break", "for x in y:\n    continue")]),
        ("for x in y:\n    continue",
         [("break instead of continue", "for x in y:\n    break")]),
        ("if x:\n    a()\nelse:\n    b()", [("without else", "if x:\n    a()")]),
    ],
)  # fmt: skip
def test_every_edit_of_a_block(code: str, expected: list[tuple[str, str]]) -> None:
    assert edited(code) == expected
