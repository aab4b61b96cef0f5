"""Dates of a request for the parameters that are dates."""

from typing import Any

import pytest

from hammerstone.core.tools import Spec
from hammerstone.run.bind.fill import fill


def taking(*names: str, kind: str = "string") -> Spec:
    properties: dict[str, Any] = {name: {"type": kind} for name in names}
    parameters = {"type": "object", "properties": properties, "required": [*names]}
    return Spec("days", "Days.", parameters, {"type": "number"})


ONE, TWO = "2024-03-01", "2024-05-09"


@pytest.mark.parametrize(
    ("names", "text", "values"),
    [
        (["date"], f"the weekday of {ONE}", {"date": ONE}),
        (["day"], f"the weekday of {ONE}", {"day": ONE}),
        (["start", "end"], f"from {ONE} to {TWO}", {"start": ONE, "end": TWO}),
        (["start_date", "end_date"], f"from {TWO} to {ONE}", {"start_date": TWO, "end_date": ONE}),
        (["end", "start"], f"from {ONE} to {TWO}", {}),  # which is which cannot be said
        (["first_date", "other_date"], f"{ONE} and {TWO}", {}),
        (["start", "end"], f"since {ONE}", {}),
        (["date"], f"{ONE} or {TWO}", {}),
        (["name"], f"on {ONE}", {}),
    ],
)
def test_dates_go_where_there_is_one_way(
    names: list[str], text: str, values: dict[str, str]
) -> None:
    assert fill(taking(*names), text).values == values


def test_a_date_is_no_number() -> None:
    assert fill(taking("day", kind="integer"), f"on {ONE}").values == {}
