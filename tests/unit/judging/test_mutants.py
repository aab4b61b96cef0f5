"""Mutants are different programs that still parse."""

import ast

from hammerstone.judging.mutants import mutants

CODE = """
def f(xs, limit):
    total = 0
    for x in xs:
        if x < limit and x != 3:
            total += x * 2
    return max(total, -1)
"""


def test_each_mutant_is_a_different_program_that_parses() -> None:
    made = mutants(CODE)
    codes = [one.code for one in made]
    assert len(set(codes)) == len(codes) >= 8
    assert ast.unparse(ast.parse(CODE)) not in codes
    for code in codes:
        ast.parse(code)


def test_changes_say_what_was_done() -> None:
    changes = " / ".join(one.change for one in mutants(CODE))
    for expected in ("< became <=", "and became or", "the condition reversed", "max became min"):
        assert expected in changes


def test_the_number_is_limited_and_repeatable() -> None:
    assert len(mutants(CODE, limit=3)) == 3
    assert mutants(CODE, limit=3) == mutants(CODE, limit=3)
    assert mutants("def f(:") == []
