"""Plans of composed skills: what may be written, and what references stand for."""

import pytest

from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.core.errors import BadRequest
from hammerstone.library.skills.running.plan import filled, read_plan, read_template

GOOD = """
inputs:
  text: {type: string}
steps:
  - id: parts
    run: scripts/split.py
    with: {text: $input.text}
  - id: counts
    skill: word-count
    for_each: $parts
    with: {text: $item, number: $index, price: $$5}
  - tool: sum_numbers
    with: {numbers: $counts}
output: {total: $step3, first: $counts.0}
"""


def test_a_plan_is_read() -> None:
    plan = read_plan(GOOD)
    assert [(step.id, step.kind, step.what) for step in plan.steps] == [
        ("parts", "run", "scripts/split.py"),
        ("counts", "skill", "word-count"),
        ("step3", "tool", "sum_numbers"),
    ]
    assert plan.steps[0].arguments == {"text": FromRequest("input", ("text",))}
    assert plan.steps[1].for_each == FromStep("parts")
    assert plan.steps[1].arguments == {
        "text": FromRequest("item"),
        "number": FromRequest("index"),
        "price": Constant("$5"),
    }
    assert plan.output == {"total": FromStep("step3"), "first": FromStep("counts", ("0",))}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not a list"),
        ("steps: []", "no steps"),
        ("steps: 5", "no steps"),
        ("steps: [{skill: a}]\nmore: 1", "unknown part"),
        ("steps: [{skill: a, tool: b}]", "one of"),
        ("steps: [{}]", "one of"),
        ("steps: [5]", "not a list"),
        ("steps: [{skill: a, shell: rm}]", "unknown part: shell"),
        ("steps: [{skill: 5}]", "does not say"),
        ("steps: [{id: input, skill: a}]", "id that is not allowed"),
        ("steps: [{id: A B, skill: a}]", "id that is not allowed"),
        ("steps: [{id: a, skill: a}, {id: a, skill: b}]", "two steps"),
        ("steps: [{id: a, skill: a, with: {x: $b}}, {id: b, skill: b}]", "refers to $b"),
        ("steps: [{id: a, skill: a, with: {x: $a}}]", "refers to $a"),
        ("steps: [{id: a, skill: a, with: [{x: $item}]}]", "refers to $item"),
        ("steps: [{id: a, skill: a, for_each: 5}]", "for_each"),
        ("steps: [{id: a, skill: a}]\noutput: $zz", "refers to $zz"),
        ("a: &a [1]\nsteps: *a", "alias"),
        ("steps: [" + ", ".join(["{skill: a}"] * 31) + "]", "31 steps"),
    ],
)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    with pytest.raises(BadRequest) as raised:
        read_plan(text)
    assert told in raised.value.message


def test_references() -> None:
    known = {"input": {"a": [1, {"b": 2}]}, "item": "x"}
    value = {"x": "$input.a.1.b", "y": ["$item", "$$item", "plain", 5], "z": "$input"}
    assert filled(read_template(value), known, "here") == {
        "x": 2,
        "y": ["x", "$item", "plain", 5],
        "z": {"a": [1, {"b": 2}]},
    }
    for missing, told in (
        ("$input.a.7", "here: there is no '7' in $input.a.7"),
        ("$input.zz", "here: there is no 'zz' in $input.zz"),
        ("$nobody", "here: there is no $nobody"),
        ("$item.x", "here: there is no 'x' in $item.x"),
    ):
        with pytest.raises(BadRequest) as raised:
            filled(read_template(missing), known, "here")
        assert raised.value.message == told
