"""Plans: order, circles, types."""

from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.find.plan import Plan, PlanStep, Strategy


def spec(name: str, takes: JsonObject, returns: JsonObject) -> Spec:
    return Spec(name, "", {"type": "object", "properties": {"x": takes}}, returns)


SPECS = {
    "numbers": spec("numbers", {"type": "string"}, {"type": "array", "items": {"type": "number"}}),
    "mean": spec("mean", {"type": "array", "items": {"type": "number"}}, {"type": "number"}),
    "shout": spec("shout", {"type": "string"}, {"type": "string"}),
}


def plan(*steps: PlanStep) -> Plan:
    return Plan(Strategy.COMPOSITION, steps)


def test_steps_that_do_not_need_each_other_run_at_once() -> None:
    made = plan(PlanStep("1", "a"), PlanStep("2", "b"), PlanStep("3", "c", after=("1", "2")))
    assert [[step.id for step in wave] for wave in made.waves()] == [["1", "2"], ["3"]]
    assert made.problem({}) == ""


def test_a_circle_is_noticed() -> None:
    made = plan(
        PlanStep("1", "a", after=("2",)), PlanStep("2", "b", after=("1",)), PlanStep("3", "c")
    )
    assert "wait for each other" in made.problem({})
    assert [[step.id for step in wave] for wave in made.waves()] == [["3"]]


def test_unknown_steps_and_no_steps_are_noticed() -> None:
    assert "does not exist" in plan(PlanStep("1", "a", after=("7",))).problem({})
    assert "same id" in plan(PlanStep("1", "a"), PlanStep("1", "b")).problem({})
    assert plan().problem({})


def test_a_result_that_does_not_fit_is_noticed_before_anything_runs() -> None:
    first = PlanStep("1", "read", "numbers", {"x": Constant("1 2")})
    good = plan(first, PlanStep("2", "mean", "mean", {"x": FromStep("1")}))
    assert good.problem(SPECS) == ""
    bad = plan(first, PlanStep("2", "shout", "shout", {"x": FromStep("1")}))
    assert "does not fit" in bad.problem(SPECS)
    item = plan(first, PlanStep("2", "shout", "shout", {"x": FromStep("1", (0,))}))
    assert "does not fit" in item.problem(SPECS)
    nowhere = plan(first, PlanStep("2", "mean", "mean", {"x": FromStep("1", ("key",))}))
    assert "has no" in nowhere.problem(SPECS)
    other = plan(PlanStep("1", "mean", "mean", {"y": Constant(1)}))
    assert "no parameter y" in other.problem(SPECS)


def test_what_is_shown_of_a_plan() -> None:
    sources = {"a": Constant([1]), "b": FromStep("1", ("x", 0)), "c": FromRequest("c")}
    shown = plan(PlanStep("1", "read"), PlanStep("2", "mean", "mean", sources)).to_json()
    assert shown["steps"] == [
        {"id": "1", "text": "read", "tool": None, "after": [], "arguments": {}},
        {
            "id": "2",
            "text": "mean",
            "tool": "mean",
            "after": ["1"],
            "arguments": {
                "a": {"constant": [1]},
                "b": {"step": "1", "path": ["x", 0]},
                "c": "request",
            },
        },
    ]
