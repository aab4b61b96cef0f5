"""Where arguments come from, learned from recorded values."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.learn.composites.bindings import Instance, RecordedCall, instance_of, learn
from hammerstone.storage import Execution


def instance(number: int, *steps: tuple[str, dict[str, Any], Any, dict[str, Any]]) -> Instance:
    calls = tuple(
        RecordedCall(tool, f"{tool}-1", arguments, result, declared, 0.1)
        for tool, arguments, result, declared in steps
    )
    return Instance(f"s{number}", f"r{number}", calls)


def order(n: int, declared: bool = True, **second: Any) -> Instance:
    result = {"customer": {"name": f"Ada{n}", "town": f"Bath{n}"}, "lines": [n, n + 10, n + 100]}
    asked = {"line": FromRequest()} if declared else {}
    given = FromStep(0, ("customer", "name"))
    told = {"person": given, "style": Constant("warm")} if declared else {}
    arguments = {"person": f"Ada{n}", "style": "warm"} | second
    return instance(n, ("parse", {"line": f"l{n}"}, result, asked), ("greet", arguments, "x", told))


def test_nested_parts_constants_and_what_the_person_gives():
    found = learn([order(n) for n in range(3)])
    first, second = found.steps
    assert not found.problem
    assert first.arguments == {"line": FromRequest("line")}
    assert second.arguments == {
        "person": FromStep(0, ("customer", "name")),
        "style": Constant("warm"),
    }


def test_without_declarations_the_values_tell():
    found = learn([order(n, declared=False) for n in range(3)])
    assert found.steps[1].arguments["person"] == FromStep(0, ("customer", "name"))
    assert dict(found.defaults) == {"style": "warm"}  # never varied: may be left out


def test_a_declaration_that_the_values_contradict_is_not_believed():
    found = learn([order(n, person="somebody else") for n in range(3)])
    assert "not what it was" in found.problem


def test_two_places_that_always_agree_cannot_be_told_apart():
    made = [
        instance(n, ("pick", {"n": n}, {"a": n, "b": n}, {}), ("twice", {"n": n}, 2 * n, {}))
        for n in range(3, 8)
    ]
    assert "places" in learn(made).problem


def test_equal_by_coincidence_is_no_flow():
    made = [
        instance(n, ("one", {"n": n}, 1, {}), ("repeat", {"times": 1, "word": f"w{n}"}, "x", {}))
        for n in range(5)
    ]
    assert "no step uses" in learn(made).problem


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_instances_teach_nothing(count: int):
    assert "too rarely" in learn([order(n) for n in range(count)]).problem


def test_one_value_used_twice_is_one_parameter():
    asked = {"word": FromRequest()}
    told = {"left": FromRequest(), "right": FromStep(0)}
    made = [
        instance(
            n,
            ("mirror", {"word": f"ab{n}"}, f"{n}ba", asked),
            ("pair", {"left": f"ab{n}", "right": f"{n}ba"}, "x", told),
        )
        for n in range(3)
    ]
    found = learn(made)
    assert found.steps[1].arguments["left"] == FromRequest("word")


def test_arguments_that_come_and_go_are_no_workflow():
    made = [order(0), order(1), order(2, extra=1)]
    assert "different arguments" in learn(made).problem


def test_what_an_earlier_version_recorded_is_read_by_place_in_the_chain():
    def recorded(run: str, number: int, sources: dict[str, Any]) -> Execution:
        arguments = dict.fromkeys(sources, 5)
        now = datetime.now(UTC)
        return Execution("", run, "s", number, "t", "v", arguments, 5, True, now, sources=sources)

    elsewhere = {"step": 9, "path": []}
    first = recorded("r1", 4, {"a": "request", "b": "constant", "c": elsewhere, "d": "unknown"})
    second = recorded("r2", 0, {"a": {"step": 4, "path": ["x"], "session": 7, "run": "r1"}})
    third = recorded("r2", 1, {"a": {"step": 0, "path": []}})
    made = instance_of("s", [first, second, third])
    assert [call.declared for call in made.steps] == [
        {"a": FromRequest(), "b": Constant(5)},
        {"a": FromStep(0, ("x",))},
        {"a": FromStep(1)},
    ]


def test_a_value_that_may_not_be_shown_has_to_be_given_each_time():
    for declared in (True, False):
        found = learn([order(n, declared=declared) for n in range(3)], defaults=False)
        assert found.defaults == () and not found.problem
        assert found.steps[1].arguments["style"] == FromRequest("style")
