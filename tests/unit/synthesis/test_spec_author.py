"""Specs out of a model's words, and the head of the function that authors see."""

import ast
import json

import pytest

from hammerstone.core.errors import ModelNonsense
from hammerstone.synthesis.signature import stub
from hammerstone.synthesis.spec_author import RequestKind, read_draft

GOOD = {
    "kind": "calculation",
    "name": "sum",
    "description": 'Add "all" the numbers.',
    "parameters": [
        {"name": "list", "type": "list of numbers", "description": "the numbers"},
        {"name": "lambda", "type": "number", "description": "a factor"},
    ],
    "returns": "number",
    "returns_description": "the sum",
}


def test_a_draft_becomes_a_spec_whose_names_are_safe_to_use() -> None:
    spec = read_draft(json.dumps(GOOD)).spec
    assert spec is not None
    assert spec.name == "sum_value"
    assert list(spec.parameters["properties"]) == ["list_value", "lambda_value"]  # type: ignore
    assert spec.parameters["required"] == ["list_value", "lambda_value"]
    head = stub(spec)
    assert "def sum_value(list_value: list[float], lambda_value: float) -> float:" in head
    ast.parse(head + "\n    pass")


@pytest.mark.parametrize("kind", ["conversation", "needs live data", "harmful"])
def test_what_is_no_calculation_has_no_spec(kind: str) -> None:
    draft = read_draft(json.dumps(GOOD | {"kind": kind}))
    assert (draft.kind, draft.spec) == (RequestKind(kind), None)


@pytest.mark.parametrize("text", ["", "hello", "[]", "{}", '{"kind": "calculation"}'])
def test_nonsense_is_named_as_such(text: str) -> None:
    with pytest.raises(ModelNonsense):
        read_draft(text)
