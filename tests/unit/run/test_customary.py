"""Values in the form that functions take them."""

import math
from typing import Any

import pytest

from hammerstone.run.customary import customary

TEXT = {"type": "string"}
CHOICES = {
    "type": "array",
    "items": {"type": "string", "enum": ["Organic", "Fruits", "Dairy", "A"]},
}


@pytest.mark.parametrize(
    ("name", "schema", "value", "wanted"),
    [
        ("base_currency", TEXT, "British pounds", "GBP"),
        ("to", TEXT | {"description": "The currency to convert to."}, "US Dollar", "USD"),
        ("currency", TEXT, "GBP", "GBP"),
        ("currency", TEXT, "shells", "shells"),
        ("currency", TEXT | {"description": "for example euros"}, "Japanese yen", "Japanese yen"),
        ("cell_type", TEXT, "human cell", "human"),
        ("street", TEXT, "Baker Street", "Baker Street"),
        ("brain_region", TEXT, "entire brain", "entire brain"),
        ("city", TEXT, "city", "city"),
        ("anything", TEXT | {"enum": ["x thing", "thing"]}, "x thing", "x thing"),
        ("flag", {"type": "boolean"}, True, True),
    ],
)
def test_texts(name: str, schema: dict[str, Any], value: Any, wanted: Any):
    assert customary(name, schema, value, "") == wanted


def test_every_choice_that_the_request_names():
    request = "A shop with organic fruits, near a park"
    assert customary("kinds", CHOICES, ["Organic"], request) == ["Organic", "Fruits"]
    assert customary("kinds", CHOICES, [], request) == []
    assert customary("words", {"type": "array"}, ["one"], request) == ["one"]


@pytest.mark.parametrize(
    ("about", "value", "request_", "wanted"),
    [
        ("in inches", 510, "who is 5ft 10in tall", 70),
        ("in inches", 5, "who is 5 feet 10 inches tall", 70),
        ("in cm", 5, "who is 5'10\" tall", 177.8),
        ("in feet", 5, "who is 5ft 10in tall", 5),
        ("Four decimal places.", 2, "from 0 to 2 pi", 6.2832),
        ("the end", 2, "from 0 to 2π", 2 * math.pi),
        ("the end", 3, "from 0 to 2 pi", 3),
        ("Length in seconds.", 3, "a track of 3 minutes", 180),
        ("Length in seconds.", 180, "a track of 3 minutes", 180),
        ("Distance in miles", 10, "a run of 10 km", 6.2137119224),
        ("Distance in miles", 10, "a run of 10 miles", 10),
        ("Weight (kg)", 10, "a run of 10 km", 10),
        ("how long", 3, "a track of 3 minutes", 3),
    ],
)
def test_numbers(about: str, value: float, request_: str, wanted: float):
    assert customary("n", {"type": "number", "description": about}, value, request_) == wanted
