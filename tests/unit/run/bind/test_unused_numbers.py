"""Numbers of a request that the arguments do not carry."""

import pytest

from hammerstone.run.bind.grounding import UnusedNumber, unused_numbers

RECIPE = "A recipe for 6 people needs 450 grams of flour. How much flour for 11 people?"


def test_a_number_without_a_parameter_is_named():
    assert unused_numbers(RECIPE, {"people": 6, "wanted": 11}) == [UnusedNumber("450", 450, 28)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (RECIPE, {"people": 6, "flour": 450.0, "wanted": 11}),
        ("What is 17.5% of 240?", {"rate": 0.175, "amount": 240}),
        ("What is 17.5% of 240?", {"percent": 17.5, "amount": 240}),
        ("What weekday was 2024-03-01?", {"date": "2024-03-01"}),
        ("The mean of 3, 5 and 1,000", {"numbers": [3, 5, 1000]}),
        ("At 14:30 it left, when is it 90 minutes later?", {"at": "14:30", "minutes": 90}),
        ("How cold is -40 C in Fahrenheit?", {"celsius": -40}),
        ("The sha256 of 'abc' as utf8", {"text": "abc"}),
        ("Add up sales_2024.csv", {"path": "/files/sales_2024.csv"}),
        ("Which of the two is larger?", {}),
        ("7.5 litres for 100 km, how many for 340?", {"litres_per_100_km": 7.5, "km": 340}),
        ("Total of these orders", {"orders": [{"price": 2, "paid": True, "note": None}]}),
    ],
)
def test_nothing_is_left_out(text: str, values: dict):
    assert unused_numbers(text, values) == []
