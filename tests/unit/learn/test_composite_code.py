"""A chain as one module: every part keeps its own names, and results are handed on as JSON."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.core.tools import Spec, Version
from hammerstone.learn.composites.code import CannotCompose, compose
from hammerstone.library.workflows import WorkflowStep

PARSE = (
    "SIGN = '+'\n\n\ndef parse(text):\n    return {'sides': tuple(map(int, text.split(SIGN)))}\n"
)
SCALE = "SIGN = 2\n\n\ndef scale(side, by):\n    return SIGN * side * by\n"


def part(name: str, code: str) -> Version:
    spec = Spec(name, name, {"type": "object", "properties": {}}, {})
    return Version(f"{name}1", name, 1, code, spec, (), (), {}, datetime.now(UTC))


def composed(*codes: str, steps: Any, parameters: Any = (("text", ""), ("by", "3"))) -> str:
    names = [code.partition("def ")[2].partition("(")[0] for code in codes]
    parts = {name: part(name, code) for name, code in zip(names, codes, strict=True)}
    return compose("chain", steps, parts, parameters, 'Does "it"\n all \\ at once')


STEPS = (
    WorkflowStep("parse", {"text": FromRequest("text")}),
    WorkflowStep("scale", {"side": FromStep(0, ("sides", 1)), "by": FromRequest("by")}),
    WorkflowStep("scale", {"side": FromStep(1), "by": Constant(10)}),
)


def run(source: str, *args: Any) -> Any:
    names: dict[str, Any] = {}
    exec(source, names)
    return names["chain"](*args)


def test_each_step_gets_what_it_was_given_and_the_last_is_the_result() -> None:
    source = composed(PARSE, SCALE, steps=STEPS)
    assert run(source, "4+5", 7) == 2 * (2 * 5 * 7) * 10
    assert run(source, "4+5") == 2 * (2 * 5 * 3) * 10  # the default
    assert source.count("def scale") == 1
    assert '''"""Does 'it' all at once"""''' in source.replace("  ", " ")


def test_a_part_of_an_argument_can_be_taken() -> None:
    step = WorkflowStep("scale", {"side": FromRequest("text", ("a", 0)), "by": Constant(1)})
    source = composed(SCALE, steps=(step,))
    assert run(source, {"a": [21]}) == 42
    assert "_handed_on" not in source  # nothing is


@pytest.mark.parametrize(
    ("result", "handed"),
    [
        ("(1, (2,))", [1, [2]]),
        ("{1: (2,)}", {"1": [2]}),
        ("None", None),
        ("1.5", 1.5),
        ("'a'", "a"),
        ("True", True),
    ],
)
def test_results_are_plain_json_on_the_way(result: str, handed: Any) -> None:
    make = f"def make():\n    return {result}\n"
    keep = "def keep(value):\n    return value\n"
    steps = (WorkflowStep("make", {}), WorkflowStep("keep", {"value": FromStep(0)}))
    assert run(composed(make, keep, steps=steps, parameters=())) == handed
    with pytest.raises(TypeError, match="a set cannot be handed on"):
        run(composed("def make():\n    return {1}\n", keep, steps=steps, parameters=()))


@pytest.mark.parametrize(
    "code",
    [
        "from math import *\n\n\ndef scale(side, by):\n    return 1\n",
        "from __future__ import annotations\n\n\ndef scale(side, by):\n    return 1\n",
        "N = 1\n\n\ndef scale(side, by):\n    global N\n    return N\n",
        "def scale(side, by:\n    return 1\n",
    ],
)
def test_what_cannot_be_isolated_makes_no_composite(code: str) -> None:
    with pytest.raises(CannotCompose, match="scale"):
        composed(code, steps=(WorkflowStep("scale", {}),))
    fine = "from math import sqrt\n\n\ndef scale(side, by):\n    return sqrt(side)\n"
    assert "sqrt" in composed(fine, steps=(WorkflowStep("scale", {}),))


def test_parts_that_do_not_fit_together_are_said() -> None:
    step = WorkflowStep("scale", {"not a name": Constant(1)})
    with pytest.raises(CannotCompose, match="do not fit together"):
        composed(SCALE, steps=(step,))
