"""The specification that a solution is."""

from hammerstone.core.solutions import Solution
from hammerstone.run.bind.signatures import signature
from hammerstone.synthesis.solutions.generality import Generality
from hammerstone.synthesis.solutions.own_call import OwnCall
from hammerstone.synthesis.solutions.plain import PlainFunction, plain_function
from hammerstone.synthesis.solutions.specification import specification


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
        "price": {"type": "number", "examples": [80.5]},
        "percent": {"type": "integer", "examples": [15]},
        "name": {"type": "string"},  # what a person wrote is not kept
    }
    assert "- percent (whole number): for example 15" in signature(spec, ["percent"])
