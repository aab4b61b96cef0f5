"""The specification that a solution is."""

import pytest

from hammerstone.core.solutions import Solution
from hammerstone.run.bind.signatures import signature
from hammerstone.synthesis.solutions.generality import Generality
from hammerstone.synthesis.solutions.own_call import OwnCall
from hammerstone.synthesis.solutions.plain import PlainFunction, plain_function
from hammerstone.synthesis.solutions.specification import _of_that_size, specification


def test_a_number_shows_its_scale_by_the_value_it_was_used_with() -> None:
    code = (
        'def f(price, percent, name):\n    """A part of a price."""\n    return price * percent\n'
    )
    own = OwnCall({"price": 80.5, "percent": 15, "name": "Ann"}, 12.0, 12.0)
    function = plain_function(Solution(code, "f", "f()"), own)
    assert isinstance(function, PlainFunction)
    spec = specification(Generality(function), own)
    properties = spec.parameters["properties"]
    assert properties == {
        "price": {"type": "number", "examples": [15.0]},
        "percent": {"type": "integer", "examples": [25]},
        "name": {"type": "string"},  # what a person wrote is not kept
    }
    assert "- percent (whole number): for example 25" in signature(spec, ["percent"])


@pytest.mark.parametrize("used", [1, 2, 15, -15, 240, 1500, 84_000, 0.15, 17.5, 1e-9, -2.5, 1e300])
def test_a_scale_is_shown_by_a_number_that_nobody_gave(used: float) -> None:
    shown = _of_that_size(used)
    assert shown != used and type(shown) is type(used) and (shown > 0) == (used > 0)
    assert 0.05 < shown / used < 20
