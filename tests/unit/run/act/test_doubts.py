"""A result that an example or a test of the tool speaks against."""

from dataclasses import replace
from datetime import UTC, datetime

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind, Effect, Spec, Status, Tool, Version
from hammerstone.run.act.results import CaseOpinion, opinion_of_cases

SPEC = Spec(
    "half",
    "Half of a number.",
    {"type": "object", "properties": {"number": {"type": "number"}}},
    {"type": "number"},
    examples=(Case(CaseKind.VALUE, Call(args=(8,)), 4, origin="user"),),
)
SUITE = (
    Case(CaseKind.VALUE, Call(kwargs={"number": 3.0}), 1.5),
    Case(CaseKind.RAISES, Call(args=("x",)), "TypeError"),
    Case(CaseKind.PROPERTY, Call(args=(10,)), check="result == 99"),
    Case(CaseKind.VALUE, Call(source="half(20)"), 99),
)
VERSION = Version("v", "half", 1, "", SPEC, SUITE, (), {}, datetime(2026, 1, 1, tzinfo=UTC))
TOOL = Tool("half", VERSION, Status.VERIFIED, 0.97)


def test_what_its_examples_and_tests_say_is_held_against_the_result():
    assert "your example of half says 4" in opinion_of_cases(TOOL, {"number": 8}, 5).doubt
    assert "a test of half says 1.5" in opinion_of_cases(TOOL, {"number": 3}, 2).doubt
    assert "an error" in opinion_of_cases(TOOL, {"number": "x"}, 0).doubt


def test_nothing_speaks_against_what_agrees_or_was_never_tried():
    assert opinion_of_cases(TOOL, {"number": 8.0}, 4.0).doubt == ""
    assert opinion_of_cases(TOOL, {"number": 3}, 1.5000000001).doubt == ""
    for number in (10, 20, 7):
        assert opinion_of_cases(TOOL, {"number": number}, -1).doubt == ""


def test_what_depends_on_more_than_its_arguments_may_differ():
    reads = replace(TOOL, version=replace(VERSION, spec=replace(SPEC, effect=Effect.READS)))
    assert opinion_of_cases(reads, {"number": 8}, 5).doubt == ""


def test_the_order_counts_only_where_the_promise_says_so():
    listed = replace(SPEC, returns={"type": "array"}, examples=())
    case = Case(CaseKind.VALUE, Call(args=(1,)), [1, 2])
    for described, agrees in (("Two numbers.", False), ("Two numbers in any order.", True)):
        spec = replace(listed, description=described)
        tool = replace(TOOL, version=replace(VERSION, spec=spec, suite=(case,)))
        assert (opinion_of_cases(tool, {"number": 1}, [2, 1]).doubt == "") is agrees


def test_an_example_or_a_test_with_the_same_arguments_confirms():
    assert opinion_of_cases(TOOL, {"number": 8}, 4) == CaseOpinion(
        confirmation="your example says the same"
    )
    assert opinion_of_cases(TOOL, {"number": 3}, 1.5).confirmation == "a test says the same"
    for number in (10, 20, 7):
        assert opinion_of_cases(TOOL, {"number": number}, -1) == CaseOpinion()
    assert opinion_of_cases(TOOL, {"number": 8}, 5).confirmation == ""
