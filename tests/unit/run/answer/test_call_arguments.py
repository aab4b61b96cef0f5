"""The call behind an answer: every value by its name, and which of them nobody said."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from hammerstone.core.answers import Answer, ArgumentOrigin, CallArgument
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Spec, Status, Tool, Version
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.answer.wording import readable_call

BILL = "def split_bill(total, people, tip_percent=15):\n    return total\n"


def by_tool(arguments: Any, code: str = BILL, **more: Any) -> StepOutcome:
    name = code.partition("def ")[2].partition("(")[0]
    version = Version("1", name, 1, code, Spec(name, "", {}, {}), (), (), {}, datetime.now(UTC))
    return StepOutcome(True, Tool(name, version, Status.VERIFIED, 0.9), arguments, **more)


def solved(code: str, call: str) -> StepOutcome:
    function = code.partition("def ")[2].partition("(")[0]
    winner = Solution(code, function, call)
    return StepOutcome(True, solved=SimpleNamespace(winner=winner))  # type: ignore[arg-type]


def origins(step: StepOutcome, request: str, earlier: str = "") -> dict[str, str]:
    return {one.name: str(one.origin) for one in readable_call(step, request, earlier).arguments}


def test_what_a_tool_takes_by_itself_is_in_the_call_and_marked() -> None:
    step = by_tool({"total": 86.4, "people": 4})
    call = readable_call(step, "Split 86.40 between four people")
    assert call.text == "split_bill(total=86.4, people=4, tip_percent=15)"
    assert call.arguments == (
        CallArgument("total", "86.4"),
        CallArgument("people", "4"),
        CallArgument("tip_percent", "15", ArgumentOrigin.DEFAULT),
    )


def test_a_solutions_values_get_their_names_and_defaults() -> None:
    call = readable_call(
        solved(BILL, "round(split_bill(86.4, people=4), 2)"), "Split 86.40 between 4 people"
    )
    assert call.text == "round(split_bill(total=86.4, people=4, tip_percent=15), 2)"
    assert [one.origin.is_assumed for one in call.arguments] == [False, False, True]


CONVERT = "def convert(value, source, target):\n    return value\n"


@pytest.mark.parametrize(
    ("request_", "arguments", "marked"),
    [
        ("Convert 5 miles", (5, "miles", "miles"), {"target": "repeated"}),
        ("Convert 5 miles", (5, "mi", "km"), {"target": "assumed"}),
        ("Convert 5 miles to kilometers", (5, "mi", "km"), {}),
        ("Convert 5 mi to km", (5, "miles", "kilometers"), {}),
        ("How many inches are five feet?", (5, "foot", "inch"), {}),
        ("Turn 5 km to something", (5, "km", "tonnes"), {"target": "assumed"}),
        ("5 and 5 more to miles", (5, 5, "miles"), {}),
        ("a square of 5 in miles", (5, 5, "miles"), {"source": "repeated"}),
        ("[1, 2, 2] against 3% of miles", ([1, 2, 2], 0.03, "miles"), {}),
        ("1,5,9 of miles", ([1, 5, 9], True, "miles"), {}),
        ("only miles", ([1, 2], None, {"unit": "miles"}), {"value": "assumed"}),
        ("مرحبا 5 miles 😀", (5, "مرحبا", "miles"), {}),
    ],
)
def test_what_the_request_does_not_say_is_marked(
    request_: str, arguments: Any, marked: dict[str, str]
) -> None:
    given = dict(zip(("value", "source", "target"), arguments, strict=True))
    found = origins(by_tool(given, CONVERT), request_)
    assert {name: origin for name, origin in found.items() if origin != "stated"} == marked
    call = f"convert({', '.join(map(repr, arguments))})"
    assert origins(solved(CONVERT, call), request_) == found


def test_what_was_said_earlier_is_not_assumed() -> None:
    step = by_tool({"total": 86.4, "people": 4}, origins={"total": ArgumentOrigin.EARLIER})
    assert origins(step, "And for us?", "We are 4 people") == {
        "total": "earlier", "people": "earlier", "tip_percent": "default",
    }  # fmt: skip


@pytest.mark.parametrize(
    "call",
    ["split_bill(*rows)", "split_bill(**row)", "split_bill(1, 2) + split_bill(3, 4)", "f(", "3"],
)
def test_a_call_that_cannot_be_read_is_shown_as_it_is(call: str) -> None:
    found = readable_call(solved(BILL, call), "anything")
    assert (found.text, found.arguments) == (call, ())


def test_a_name_stands_for_itself() -> None:
    found = readable_call(solved(BILL, "split_bill(result_1, 4)"), "and that for 4 people?")
    assert found.text == "split_bill(total=result_1, people=4, tip_percent=15)"
    assert [str(one.origin) for one in found.arguments] == ["stated", "stated", "default"]


def test_much_data_is_cut_and_nothing_is_nothing() -> None:
    found = readable_call(by_tool({"total": "x" * 600, "people": 1}), "x")
    assert len(found.text) == 503 and found.text.endswith("...")
    assert len(found.arguments[0].value) < 200
    assert readable_call(StepOutcome(True), "x").text == ""
    assert readable_call(by_tool(None), "x").text == ""


def test_the_arguments_of_an_answer_are_read_back() -> None:
    one = CallArgument("people", "4", ArgumentOrigin.ASSUMED)
    (document,) = Answer("8", arguments=(one,)).to_json()["arguments"]  # type: ignore[misc]
    assert document == {
        "name": "people",
        "value": "4",
        "origin": "assumed",
        "assumed": True,
        "note": "not in your request; the model chose it",
    }
    assert CallArgument.from_json(document) == one  # type: ignore[arg-type]
