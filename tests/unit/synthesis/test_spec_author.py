"""Specs out of a model's words, and the head of the function that authors see."""

import ast
import json

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.tools import Effect
from hammerstone.models.fakes import ScriptedModel
from hammerstone.synthesis.signature import stub
from hammerstone.synthesis.spec_author import RequestKind, SpecAuthor, read_draft

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


def test_what_is_measured_is_not_a_whole_number() -> None:
    parameters = [
        {"name": "celsius", "type": "whole number", "description": "a temperature"},
        {"name": "count", "type": "whole number", "description": "how many"},
        {"name": "programs", "type": "whole number", "description": "compound operations"},
    ]
    spec = read_draft(json.dumps(GOOD | {"parameters": parameters})).spec
    assert spec is not None
    types = [schema["type"] for schema in spec.parameters["properties"].values()]  # type: ignore
    assert types == ["number", "integer", "integer"]


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("miles_to_kilometers", "kilometers", "kilometers_to_miles"),
        ("convert_miles_to_kilometers", "kilometer", "convert_kilometers_to_miles"),
        ("kilometers_to_miles", "kilometers", "kilometers_to_miles"),
        ("days_to_weeks", "number", "days_to_weeks"),
    ],
)
def test_a_conversion_is_named_after_what_goes_in(name: str, parameter: str, expected: str) -> None:
    parameters = [{"name": parameter, "type": "number", "description": ""}]
    spec = read_draft(json.dumps(GOOD | {"name": name, "parameters": parameters})).spec
    assert spec is not None and spec.name == expected


def test_edge_cases_are_part_of_the_promise() -> None:
    spec = read_draft(json.dumps(GOOD | {"edge_cases": ["An empty list gives 0.", ""]})).spec
    assert spec is not None and spec.edge_cases == ("An empty list gives 0.",)
    assert "An empty list gives 0." in stub(spec)


async def test_the_author_is_told_of_files_and_of_what_is_to_be_saved() -> None:
    seen: list[str] = []

    def answer(prompt: Prompt) -> str:
        seen.append(prompt.messages[-1].text)
        return json.dumps(GOOD)

    author = SpecAuthor(ScriptedModel(answer))
    draft = await author.write("Plot the sales as a bar chart", "too vague", files="BEGINS")
    assert draft.spec is not None
    assert (draft.spec.produces, draft.spec.effect) == (("png",), Effect.READS)
    assert "BEGINS" in seen[0] and "png" in seen[0] and "too vague" in seen[0]
    plain = await author.write("Add 1 and 2")
    assert plain.spec is not None and plain.spec.produces == ()
    assert plain.spec.effect is Effect.PURE


async def test_where_to_save_is_no_parameter() -> None:
    parameters = [
        {"name": "items", "type": "list", "description": "what to draw"},
        {"name": "file_path", "type": "text", "description": "where to save it"},
    ]
    model = ScriptedModel(lambda prompt: json.dumps(GOOD | {"parameters": parameters}))
    draft = await SpecAuthor(model).write("Draw a bar chart of apples 3 and pears 5")
    assert draft.spec is not None
    assert list(draft.spec.parameters["properties"]) == ["items"]  # type: ignore
    assert draft.spec.parameters["required"] == ["items"]
