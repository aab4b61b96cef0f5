"""Results that cannot be used, and what that comes from."""

import math

import pytest

from hammerstone.core import wire
from hammerstone.core.calls import FailureKind
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Spec
from hammerstone.run.act.results import problem_with

SPEC = Spec("area", "", {}, {"type": "number"})


@pytest.mark.parametrize(
    ("result", "kind", "text"),
    [
        ({"error": "no such unit"}, FailureKind.BAD_ARGUMENT, "it says no such unit"),
        (wire.encode(math.nan), FailureKind.BUG, "it is not a number (NaN)"),
        ([1], FailureKind.BUG, "area promises integer or number and gave array"),
        ({"$nothing": 1}, FailureKind.BUG, "cannot be read"),
    ],
)
def test_a_problem_says_what_it_comes_from(result: Json, kind: FailureKind, text: str) -> None:
    problem = problem_with(SPEC, result)
    assert problem is not None
    assert problem.kind is kind
    assert text in problem.text


def test_a_tool_whose_own_words_are_a_text_is_no_complaint() -> None:
    """What is a refusal is known by its form, not by how its sentence begins."""
    assert problem_with(Spec("quote", "", {}, {"type": "string"}), "it says no") is None
    assert problem_with(SPEC, 3.5) is None
