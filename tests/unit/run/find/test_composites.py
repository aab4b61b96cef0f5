"""The arguments of a composite by the words of the parts, and when a request is not its own."""

from typing import Any

from hammerstone.core.dataflow import Constant, FromRequest, FromStep, Source
from hammerstone.core.tools import Spec
from hammerstone.library.workflows import Workflow, WorkflowStep
from hammerstone.run.find.composites import words_of_parts

NUMBER: Any = {"type": "number", "description": "in percent"}
SPEC = Spec(
    "total_then_tax",
    "The total; then tax.",
    {
        "type": "object",
        "properties": {"numbers": {"type": "array"}, "percent": {**NUMBER, "default": 19}},
        "required": ["numbers"],
    },
    {},
)


def workflow(percent: Source[int]) -> Workflow:
    steps = (
        WorkflowStep("total", {"numbers": FromRequest("numbers")}),
        WorkflowStep("tax", {"amount": FromStep(0), "percent": percent}),
    )
    return Workflow("id", SPEC.name, steps, 4, 1.0, 0.8)


def said(*words: str, percent: Source[int] | None = None) -> Any:
    return words_of_parts(workflow(percent or FromRequest("percent")), SPEC, words)


def test_each_part_gives_the_values_of_its_own_step() -> None:
    found = said("Sum [1, 2, 3]", "add 7 percent to it")
    assert found == {"numbers": [1, 2, 3], "percent": 7}


def test_what_is_not_said_is_what_it_always_was() -> None:
    assert said("Sum [1, 2, 3]", "add the tax to it") == {"numbers": [1, 2, 3], "percent": 19}


def test_a_value_for_which_the_step_has_no_place_makes_it_another_request() -> None:
    assert said("Sum [1, 2]", "add 7 percent to the amount 50") is None
    fixed = Constant(19)
    assert said("Sum [1, 2]", "add 19 percent", percent=fixed) == {"numbers": [1, 2]}
    assert said("Sum [1, 2]", "add 7 percent", percent=fixed) is None


def test_another_number_of_parts_settles_nothing() -> None:
    assert said("Sum [1, 2] and add the tax") is None
