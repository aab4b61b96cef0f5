"""Which parameter a value of the words belongs to, and when it is left to somebody who reads."""

from typing import Any

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.bind.fill import counts_in_percent, fill, stands_beside
from hammerstone.run.understand.literals import find_literals

NUMBER: JsonObject = {"type": "number"}
WHOLE: JsonObject = {"type": "integer"}
TEXT: JsonObject = {"type": "string"}
LIST: JsonObject = {"type": "array", "items": NUMBER}
RECORD: JsonObject = {"type": "object"}
UNIT: JsonObject = {"type": "string", "enum": ["km", "mile", "m"]}


def filled(text: str, /, **parameters: Any) -> tuple[JsonObject, tuple[str, ...]]:
    found = fill(Spec("f", "", {"type": "object", "properties": parameters}, {}), text)
    return found.values, found.open


@pytest.mark.parametrize(
    ("text", "parameters", "values"),
    [
        ("sort [3, 1]", {"xs": LIST}, {"xs": [3, 1]}),
        ('keys of {"a": 1}', {"r": RECORD}, {"r": {"a": 1}}),
        ("sort [3, 1] and [2]", {"xs": LIST}, {}),
        ("sort [3, 1]", {"xs": LIST, "ys": LIST}, {}),
        ("mean of 2, 4 and 9", {"xs": LIST}, {"xs": [2, 4, 9]}),
        ("mean of 2, 4 and 9 for 3 people", {"xs": LIST}, {}),
        ("mean of 2, 4 and 9", {"xs": {"type": "array", "items": TEXT}}, {}),
        ("round 2.5", {"n": NUMBER}, {"n": 2.5}),
        ("round 2.5", {"n": WHOLE}, {}),
        ("round 2", {"n": WHOLE}, {"n": 2}),
        ("round 2 and 3", {"n": NUMBER}, {}),
        ("round it", {"n": NUMBER}, {}),
        ("width 3 and height 4", {"width": NUMBER, "height": NUMBER}, {"width": 3, "height": 4}),
        ("a height of 4 and a width of 3", {"width": NUMBER, "height": NUMBER},
         {"width": 3, "height": 4}),
        ("width 3, and 4", {"width": NUMBER, "height": NUMBER}, {"width": 3, "height": 4}),
        ("3 and 4", {"width": NUMBER, "height": NUMBER}, {}),
        ("5 years at 3%", {"years": NUMBER, "percent": NUMBER}, {"years": 5, "percent": 3}),
        ("3% of 200", {"percent": NUMBER, "base": NUMBER}, {"percent": 3, "base": 200}),
        ("at 3%", {"rate": NUMBER}, {}),
        ("at 3%", {"rate": {"type": "number", "description": "in percent"}}, {"rate": 3}),
        ("on 2024-03-01", {"date": TEXT}, {"date": "2024-03-01"}),
        ("on 2024-03-01", {"title": TEXT}, {}),
        ("2024-03-01 to 2024-03-05", {"start_date": TEXT, "end_date": TEXT},
         {"start_date": "2024-03-01", "end_date": "2024-03-05"}),
        ("2024-03-01 to 2024-03-05", {"end_date": TEXT, "start_date": TEXT}, {}),
        ("2024-03-01 to 2024-03-05", {"date": TEXT}, {}),
        ("in miles", {"unit": UNIT}, {"unit": "mile"}),
        ("in miles or km", {"unit": UNIT}, {}),
        ("in m", {"unit": UNIT}, {}),  # one letter is no word
        ("miles to km", {"from_unit": UNIT, "to_unit": UNIT},
         {"from_unit": "mile", "to_unit": "km"}),
        ("km in miles", {"from_unit": UNIT, "to_unit": UNIT},
         {"from_unit": "km", "to_unit": "mile"}),
        ("km and miles", {"from_unit": UNIT, "to_unit": UNIT}, {}),
        ("miles to km", {"a_unit": UNIT, "b_unit": UNIT}, {}),
        ("reverse 'abc'", {"text": TEXT}, {"text": "abc"}),
        ("reverse 'abc'", {"text": TEXT, "n": NUMBER}, {}),
        ("reverse 'abc' and 'def'", {"text": TEXT}, {}),
        ("rows of /files/a.csv", {"path": TEXT}, {"path": "/files/a.csv"}),
        ("rows of /files/a.csv and /files/b.csv", {"path": TEXT}, {}),
        ("rows of /files/a.csv", {"path": TEXT, "file": TEXT}, {}),
        ("find 'x' in /files/a.csv", {"path": TEXT, "word": TEXT},
         {"path": "/files/a.csv", "word": "x"}),
    ],
)  # fmt: skip
def test_what_the_words_say(text: str, parameters: dict[str, Any], values: JsonObject) -> None:
    found, left = filled(text, **parameters)
    assert found == values
    assert left == tuple(name for name in parameters if name not in values)


def test_known_values_come_in_the_order_of_the_parameters() -> None:
    spec = Spec("f", "", {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}}, {})
    found = fill(spec, "with 5", {"b": 7, "other": 1})
    assert list(found.values.items()) == [("a", 5), ("b", 7)]
    assert found.open == ()


@pytest.mark.parametrize(
    ("name", "text", "beside"),
    [
        ("years", "5 years", True),
        ("year", "5 years", True),
        ("interest_rate", "an interest rate of 5", True),
        ("interest_rate", "a rate of 5", False),
        ("rate", "the rate is 5", True),
        ("rate", "the rate now equals to 5", False),
        ("width", "5 wide", False),
        ("number_of_people", "5 people", False),
    ],
)
def test_a_name_right_beside_its_number(name: str, text: str, beside: bool) -> None:
    (literal,) = find_literals(text)
    assert stands_beside(name, literal) is beside


@pytest.mark.parametrize(
    ("name", "description", "percent"),
    [
        ("percent", "", True),
        ("tax_pct", "", True),
        ("percentile", "", False),
        ("rate", "as a percentage", True),
        ("rate", "5 for 5 %", True),
        ("rate", "e.g. for 5 %", True),
        ("rate", "the rate (%)", True),
        ("rate", "a share from 0 to 1", False),
    ],
)
def test_what_counts_in_percent(name: str, description: str, percent: bool) -> None:
    assert counts_in_percent(name, {"type": "number", "description": description}) is percent
