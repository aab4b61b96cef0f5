"""Loops are noticed and stopped; progress is not mistaken for one."""

import pytest

from hammerstone.core.errors import Refused
from hammerstone.guard.loops import LoopDetector


def call(loops: LoopDetector, tool: str, arguments: dict[str, object], result: object) -> None:
    loops.check(tool, arguments)  # type: ignore[arg-type]
    loops.record(tool, arguments, result)  # type: ignore[arg-type]


def test_the_same_call_with_the_same_result_is_refused_the_fourth_time() -> None:
    loops = LoopDetector(repeats=3)
    for arguments in ({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}, {"a": 1, "b": [2]}):
        call(loops, "t", arguments, "no such file")
    with pytest.raises(Refused, match="3 times") as caught:
        loops.check("t", {"b": [2], "a": 1})
    assert caught.value.data["rule"] == "loop"
    loops.check("t", {"a": 2, "b": [2]})
    loops.check("u", {"a": 1, "b": [2]})


def test_a_call_whose_result_changes_makes_progress() -> None:
    loops = LoopDetector(repeats=3)
    for page in range(50):
        call(loops, "next_page", {}, f"page {page}")


def test_going_round_between_tools_is_a_loop_too() -> None:
    loops = LoopDetector(repeats=100, stalled=6)
    with pytest.raises(Refused, match="nothing new"):
        for _ in range(20):
            for tool in ("a", "b", "c"):
                call(loops, tool, {"x": 1}, "same")


def test_something_new_in_between_is_progress() -> None:
    loops = LoopDetector(repeats=1000, stalled=3)
    for number in range(50):
        call(loops, "status", {}, "waiting")
        call(loops, "read", {"row": number}, number)


def test_a_person_may_ask_the_same_again() -> None:
    loops = LoopDetector(repeats=1)
    for _ in range(5):
        call(loops, "t", {}, 1)
        loops.new_request()


def test_any_result_can_be_recorded() -> None:
    loops = LoopDetector()
    for result in (float("nan"), {"a": [None, True]}, "\ud800", 10**30):
        call(loops, "t", {"x": "\ud800"}, result)
