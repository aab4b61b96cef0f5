"""A plan in words, and each reason that keeps one from being carried out."""

import pytest

from hammerstone.core.dataflow import Constant, FromStep
from hammerstone.core.tools import Spec
from hammerstone.run.find.plan import Plan, PlanStep, Strategy

PARSE = Spec(
    "parse", "", {"type": "object", "properties": {"text": {"type": "string"}}},
    {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False},
)  # fmt: skip
HALVE = Spec("halve", "", {"type": "object", "properties": {"n": {"type": "number"}}}, {})
SPECS = {"parse": PARSE, "halve": HALVE}


def plan(*steps: PlanStep) -> Plan:
    return Plan(Strategy.SEQUENCE, steps, "because")


FIRST = PlanStep("1", "parse it", "parse", {"text": Constant("5")})


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ((), "the plan has no steps"),
        ((PlanStep("1", "a"), PlanStep("1", "b")), "two steps have the same id"),
        ((PlanStep("1", "a", after=("3", "2")),), "step 1 uses step 2, which does not exist"),
        ((PlanStep("1", "a", after=("1",)),), "the steps wait for each other, so none can start"),
        ((FIRST, PlanStep("2", "b", "halve", {"m": Constant(1)})),
         "step 2: halve has no parameter m"),
        ((FIRST, PlanStep("2", "b", "halve", {"n": FromStep("1", ("m",))})),
         "step 2: the result of parse has no ['m']"),
        ((FIRST, PlanStep("2", "b", "halve", {"n": FromStep("1")})),
         "step 2: the result of parse does not fit n"),
        ((FIRST, PlanStep("2", "b", "halve", {"n": FromStep("1", ("n",))})), ""),
        ((FIRST, PlanStep("2", "b", "unknown", {"n": FromStep("1")})), ""),
        ((PlanStep("1", "a"), PlanStep("2", "b", "halve", {"n": FromStep("1")})), ""),
    ],
)  # fmt: skip
def test_what_keeps_a_plan_from_being_carried_out(
    steps: tuple[PlanStep, ...], problem: str
) -> None:
    assert plan(*steps).problem(SPECS) == problem


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((FIRST,), "parse"),
        ((PlanStep("1", "do it"),), "do it"),
        (
            (FIRST, PlanStep("2", "halve it", after=("1",), arguments={"n": FromStep("1")})),
            "1. parse it [parse]; 2. halve it (uses 1)",
        ),
        (
            (PlanStep("1", "a"), PlanStep("2", "b"), PlanStep("3", "c", after=("2", "1"))),
            "1. a; 2. b; 3. c (uses 1, 2)",
        ),
    ],
)
def test_a_plan_as_a_person_reads_it(steps: tuple[PlanStep, ...], words: str) -> None:
    assert plan(*steps).in_words() == words
    shown = plan(*steps).to_json()
    assert (shown["strategy"], shown["why"]) == ("sequence", "because")
    assert plan(*steps).last is steps[-1]


def test_steps_need_what_they_name_and_what_they_follow() -> None:
    step = PlanStep("3", "c", arguments={"n": FromStep("1"), "m": Constant(2)}, after=("2",))
    assert step.needs == {"1", "2"}
    waves = plan(PlanStep("1", "a"), PlanStep("2", "b", after=("1",)), step).waves()
    assert [[one.id for one in wave] for wave in waves] == [["1"], ["2"], ["3"]]
