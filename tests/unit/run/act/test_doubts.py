"""A result that an example or a test of the tool speaks against."""

from dataclasses import replace
from datetime import UTC, datetime

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind, Effect, Spec, Status, Tool, Version
from hammerstone.run.act.doubts import doubt_about

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
    assert "your example of half says 4" in doubt_about(TOOL, {"number": 8}, 5)
    assert "a test of half says 1.5" in doubt_about(TOOL, {"number": 3}, 2)
    assert "an error" in doubt_about(TOOL, {"number": "x"}, 0)


def test_nothing_speaks_against_what_agrees_or_was_never_tried():
    assert doubt_about(TOOL, {"number": 8.0}, 4.0) == ""
    assert doubt_about(TOOL, {"number": 3}, 1.5000000001) == ""
    for number in (10, 20, 7):
        assert doubt_about(TOOL, {"number": number}, -1) == ""


def test_what_depends_on_more_than_its_arguments_may_differ():
    reads = replace(TOOL, version=replace(VERSION, spec=replace(SPEC, effect=Effect.READS)))
    assert doubt_about(reads, {"number": 8}, 5) == ""


def test_the_order_counts_only_where_the_promise_says_so():
    listed = replace(SPEC, returns={"type": "array"}, examples=())
    case = Case(CaseKind.VALUE, Call(args=(1,)), [1, 2])
    for described, agrees in (("Two numbers.", False), ("Two numbers in any order.", True)):
        spec = replace(listed, description=described)
        tool = replace(TOOL, version=replace(VERSION, spec=spec, suite=(case,)))
        assert (doubt_about(tool, {"number": 1}, [2, 1]) == "") is agrees
