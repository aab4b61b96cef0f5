"""A model's arguments are JSON that the schema accepts, and nothing else."""

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.bind.arguments import read_arguments

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"number": {"type": "number"}, "items": {"type": "array"}},
    "required": ["number"],
    "additionalProperties": False,
}
SPEC = Spec("f", "", SCHEMA, {})


def test_what_fits_is_accepted() -> None:
    assert read_arguments(SPEC, {}, '{"number": 1}', "1").values == {"number": 1}


@pytest.mark.parametrize("text", ["", "[1]", '{"number": 1e999}', "[" * 100_000])
def test_a_models_nonsense_is_a_problem_and_no_crash(text: str) -> None:
    assert read_arguments(SPEC, {}, text, "1").problem
