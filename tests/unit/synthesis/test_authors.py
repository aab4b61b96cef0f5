"""Which points of view are heard for which spec."""

from dataclasses import replace

import pytest

from hammerstone.core.tools import Effect, Spec
from hammerstone.prompts import load
from hammerstone.synthesis.witnesses import roles_for

PLAIN = Spec(
    "f",
    "Compute something.",
    {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
    {"type": "number"},
)


def test_every_spec_hears_several_points_of_view() -> None:
    roles = roles_for(PLAIN)
    assert roles[:2] == ("varied", "typical") and len(set(roles)) == len(roles)
    assert set(roles) <= set(load("tests").parts)


def test_tables_and_files_are_tried_with_messy_data() -> None:
    table = replace(
        PLAIN,
        parameters={
            "type": "object",
            "properties": {"rows": {"type": "array", "items": {"type": "object"}}},
        },
    )
    assert "data quality" in roles_for(table)[:2]
    assert "data quality" in roles_for(replace(PLAIN, effect=Effect.READS))[:2]


@pytest.mark.parametrize("text", ["Negative numbers raise an error.", "n must be positive"])
def test_refusals_are_tested_early_where_the_spec_speaks_of_them(text: str) -> None:
    assert "error" in roles_for(replace(PLAIN, edge_cases=(text,)))[:3]
