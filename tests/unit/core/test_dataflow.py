"""Sources: what is stored reads back as it was, and parts of values are found."""

import json
from typing import Any

import pytest

from hammerstone.core.dataflow import (
    FROM_WORDS,
    Constant,
    DeclaredSource,
    FromRequest,
    FromStep,
    MissingPart,
    Source,
    declared_results,
    needed_steps,
    renamed,
    source_from_json,
    value_at,
)
from hammerstone.core.errors import BadRequest

# As versions before 0.2 wrote them, letter by letter.
STORED = [
    ('{"from": "request", "name": "amount"}', FromRequest("amount")),
    ('{"from": "constant", "value": [1, null]}', Constant([1, None])),
    ('{"from": "step", "step": 0, "path": ["half", 0]}', FromStep(0, ("half", 0))),
    ('{"from": "step", "step": 2, "path": []}', FromStep(2)),
]
DECLARED = [
    ('"request"', FROM_WORDS),
    ('"constant"', DeclaredSource(Constant(5))),
    ('{"step": 1, "path": ["rows", -1]}', DeclaredSource(FromStep(1, ("rows", -1)))),
    (
        '{"step": 0, "path": [], "session": 7, "run": "r1"}',
        DeclaredSource(FromStep(0), "r1", 7),
    ),
]


@pytest.mark.parametrize(("text", "source"), STORED)
def test_a_stored_source_reads_and_writes_as_before(text: str, source: Source[int]) -> None:
    assert source_from_json(json.loads(text)) == source
    assert json.dumps(source.to_json()) == text


def test_a_part_of_what_the_request_gives_is_stored_too() -> None:
    source = FromRequest("input", ("a", 0))
    assert source_from_json(source.to_json()) == source


def test_an_unknown_origin_is_told() -> None:
    with pytest.raises(BadRequest, match="'the moon'"):
        source_from_json({"from": "the moon"})


@pytest.mark.parametrize(("text", "declared"), DECLARED)
def test_a_declared_source_reads_and_writes_as_before(text: str, declared: DeclaredSource) -> None:
    assert DeclaredSource.from_json(json.loads(text), 5) == declared
    assert json.dumps(declared.to_json()) == text


@pytest.mark.parametrize("document", ["x", None, 5, [], {}, {"step": "1"}, {"step": True}])
def test_a_declaration_that_says_nothing(document: Any) -> None:
    assert DeclaredSource.from_json(document) is None


def test_a_declared_step_without_a_path_is_its_whole_result() -> None:
    found = DeclaredSource.from_json({"from": "earlier", "step": 1})
    assert found == DeclaredSource(FromStep(1))


def test_a_result_of_an_earlier_run_is_not_of_the_own_one() -> None:
    assert DeclaredSource(FromStep(0)).of_own_run
    assert not DeclaredSource(FromStep(0), "r1", 7).of_own_run
    assert not DeclaredSource(FromStep(0), "r1").of_own_run


def test_the_results_that_a_recorded_call_used() -> None:
    sources: dict[str, Any] = {
        "a": {"step": 1, "path": ["x"]},
        "b": {"step": 0, "path": [], "session": 7, "run": "before"},
        "c": "request",
        "d": "constant",
    }
    assert list(declared_results(sources, "own")) == [
        ("a", "own", FromStep(1, ("x",))),
        ("b", "before", FromStep(0)),
    ]


def test_the_steps_that_are_needed() -> None:
    sources = [FromStep("1"), FromStep("1", ("x",)), FromStep("3"), Constant(1), FromRequest()]
    assert needed_steps(sources) == {"1", "3"}
    assert needed_steps([Constant(1), FromRequest("x")]) == set()


def test_steps_go_by_other_names_elsewhere() -> None:
    assert renamed(FromStep(0, ("a",)), lambda number: str(number + 1)) == FromStep("1", ("a",))
    assert renamed(Constant(0), str) == Constant(0)
    assert renamed(FromRequest("x"), str) == FromRequest("x")


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ((), {"rows": [{"x": 1}, {"x": 2}], "0": "zero"}),
        (("rows", 1, "x"), 2),
        (("rows", "1", "x"), 2),
        (("rows", -1), {"x": 2}),
        (("0",), "zero"),
        ((0,), "zero"),
    ],
)
def test_the_part_of_a_value(path: tuple[str | int, ...], part: Any) -> None:
    assert value_at({"rows": [{"x": 1}, {"x": 2}], "0": "zero"}, path) == part


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        (("none", "x"), "none"),
        (("rows", 2), 2),
        (("rows", -3), -3),
        (("rows", "-1"), "-1"),
        (("rows", "*"), "*"),
        (("rows", 0, "x", 0), 0),
    ],
)
def test_a_part_that_is_not_there(path: tuple[str | int, ...], missing: str | int) -> None:
    with pytest.raises(MissingPart) as raised:
        value_at({"rows": [{"x": "text"}, {}]}, path)
    assert raised.value.part == missing
    assert str(raised.value) == f"there is no {missing!r} in it"
