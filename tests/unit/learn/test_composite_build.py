"""A composite of recorded calls: its spec, its code, its suite, and the proof by replay."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.dataflow import FromRequest, FromStep
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, Effect, Spec, Status, Version
from hammerstone.learn.composites.bindings import Instance, RecordedCall, instance_of
from hammerstone.learn.composites.build import CompositeAttempt, Recipe, build
from hammerstone.learn.composites.composer import PatternResult, _inside, _title
from hammerstone.storage import Execution
from tests.unit.own_code import OwnCodeSandbox
from tests.unit.run.made_runs import NOW

HALVE = "def halve(n):\n    return {'half': n / 2}\n"
LABEL = "def label(value, unit='m'):\n    return f'{value:g} {unit}'\n"


def part(name: str, code: str, parameters: dict[str, str], returns: str, **more: Any) -> Version:
    properties = {one: {"type": kind} for one, kind in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [*parameters]}
    suite = more.pop("suite", ())
    spec = Spec(name, f"What {name} does.", cast(Any, schema), {"type": returns}, **more)
    return Version(f"{name}-1", name, 1, code, spec, suite, (), {}, NOW)


def parts(**halve: Any) -> dict[str, Version]:
    case = Case(CaseKind.VALUE, Call(source="halve(4)"), {"half": 2.0}, origin="author 1")
    return {
        "halve": part("halve", HALVE, {"n": "number"}, "object", suite=(case,), **halve),
        "label": part("label", LABEL, {"value": "number", "unit": "string"}, "string"),
    }


def chain(n: int, unit: str = "m", *, user: str = "ada", result: Json = None) -> Instance:
    half = n / 2
    steps = (
        RecordedCall("halve", "halve-1", {"n": n}, {"half": half}, {"n": FromRequest()}, 0.5),
        RecordedCall(
            "label", "label-1", {"value": half, "unit": unit},
            f"{half:g} {unit}" if result is None else result,
            {"value": FromStep(0, ("half",)), "unit": FromRequest()}, 0.25,
        ),
    )  # fmt: skip
    return Instance(f"s{n}", f"r{n}", steps, user)


CHAINS = [chain(3, "m"), chain(8, "kg"), chain(10, "km")]


async def composed(
    instances: list[Instance] | None = None,
    recipe: Recipe | None = None,
) -> CompositeAttempt:
    sandbox = OwnCodeSandbox()
    return await build(
        instances or CHAINS, recipe or Recipe(7, 0.9, parts()), cast(Sandbox, sandbox)
    )


async def test_a_composite_with_all_that_belongs_to_it() -> None:
    made = await composed()
    assert made.problem == ""
    new, workflow = made.new, made.workflow
    assert new is not None and workflow is not None
    assert new.spec.name == workflow.name == "halve_then_label"
    assert new.spec.description == "What halve does; then What label does."
    assert new.spec.takes.names == ("n", "unit")
    assert new.spec.takes.schemas["n"] == {"type": "number"}
    assert new.spec.returns == {"type": "string"}
    assert (new.spec.effect, new.spec.limits) == (Effect.PURE, "standard")
    assert (new.status, new.confidence) == (Status.VERIFIED, 0.8)  # (3 + 1) / (3 + 2)
    assert (workflow.support, workflow.success, workflow.confidence) == (7, 0.9, 0.8)
    assert new.evidence == {"replayed": 3, "right": 3, "different": 3}
    assert new.provenance["parts"] == {"halve": "halve-1", "label": "label-1"}
    assert new.provenance["runs"] == ["r3", "r8", "r10"]
    namespace: dict[str, Any] = {}
    exec(new.code, namespace)
    assert namespace["halve_then_label"](n=5, unit="cm") == "2.5 cm"


async def test_its_suite_are_the_recorded_results_and_those_of_its_parts() -> None:
    made = await composed([*CHAINS, CHAINS[0]])
    assert made.new is not None
    suite = made.new.suite
    assert [(case.call.kwargs, case.expected, case.origin) for case in suite[:3]] == [
        ({"n": 3, "unit": "m"}, "1.5 m", "run r3"),
        ({"n": 8, "unit": "kg"}, "4 kg", "run r8"),
        ({"n": 10, "unit": "km"}, "5 km", "run r10"),
    ]
    assert [case.call.source for case in suite[3:]] == ["halve(4)"]


async def test_the_evidence_of_a_composite() -> None:
    evidence = (await composed()).evidence
    assert [(pair.case, pair.before, pair.after) for pair in evidence.held_out] == [
        ("run r3", 1.0, 1.0), ("run r8", 1.0, 1.0), ("run r10", 1.0, 1.0),
    ]  # fmt: skip
    assert [(pair.case, pair.after) for pair in evidence.passes] == [("halve: halve(4)", 1.0)]
    assert (evidence.equivalent, evidence.saved_calls, evidence.sources) == (True, 1, 3)
    assert evidence.saved_s == 0.75  # what the parts took, less what it takes itself


async def test_a_result_that_is_not_explained_is_a_loss() -> None:
    odd = chain(12, "g", result="7 g")
    made = await composed([*CHAINS, odd])
    held_out = made.evidence.held_out
    assert [pair.after for pair in held_out] == [1.0, 1.0, 1.0, 0.0]


async def test_what_never_varied_is_a_default() -> None:
    made = await composed([chain(3), chain(8), chain(10)])
    assert made.new is not None
    takes = made.new.spec.takes
    assert (takes.names, takes.required) == (("n", "unit"), ("n",))
    assert takes.schemas["unit"] == {"type": "string", "default": "m"}
    assert [case.call.kwargs for case in made.new.suite[:3]] == [{"n": 3}, {"n": 8}, {"n": 10}]
    assert "unit='m'" in made.new.code


@pytest.mark.parametrize(
    ("alone", "users", "shown"),
    [(True, ["ada"] * 3, True), (False, ["ada"] * 3, False), (False, ["ada", "bob", "ada"], True)],
)
async def test_one_persons_value_is_not_shown_to_others(
    alone: bool, users: list[str], shown: bool
) -> None:
    instances = [chain(n, user=user) for n, user in zip((3, 8, 10), users, strict=True)]
    made = await composed(instances, Recipe(3, 1.0, parts(), alone))
    assert made.new is not None
    assert ("unit" not in made.new.spec.takes.required) is shown


@pytest.mark.parametrize(
    ("recipe", "problem"),
    [
        (
            Recipe(3, 1.0, parts(effect=Effect.WRITES)),
            "halve writes: each time needs its own leave",
        ),
        (
            Recipe(3, 1.0, {**parts(), "label": replace(parts()["label"], id="label-2")}),
            "label has another version than the recorded runs",
        ),
        (
            Recipe(3, 1.0, {"halve": parts()["halve"]}),
            "label has another version than the recorded runs",
        ),
    ],
)
async def test_what_is_not_composed(recipe: Recipe, problem: str) -> None:
    made = await composed(recipe=recipe)
    assert (made.problem, made.new, made.workflow) == (problem, None, None)


@pytest.mark.parametrize(
    ("more", "effect", "limits"),
    [
        ({"effect": Effect.READS}, Effect.READS, "standard"),
        ({"limits": "heavy"}, Effect.PURE, "heavy"),
    ],
)
async def test_the_strongest_effect_and_limits_of_its_parts(
    more: dict[str, Any], effect: Effect, limits: str
) -> None:
    made = await composed(recipe=Recipe(3, 1.0, parts(**more)))
    assert made.new is not None
    assert (made.new.spec.effect, made.new.spec.limits) == (effect, limits)


async def test_a_long_name_is_shortened() -> None:
    long = "x" * 40
    first = parts()["halve"]
    named = part(long, HALVE.replace("halve", long), {"n": "number"}, "object")
    steps = [
        replace(one, steps=(replace(one.steps[0], tool=long, version_id=named.id), one.steps[1]))
        for one in CHAINS
    ]
    made = await composed(steps, Recipe(3, 1.0, {long: named, "label": parts()["label"]}))
    assert made.new is not None
    assert made.new.spec.name == f"{long}_then_label"  # 51 characters
    assert first.tool == "halve"


def execution(number: int, sources: dict[str, Json], **more: Any) -> Execution:
    given: dict[str, Any] = {"arguments": {"n": 1}, "run_id": "r1", **more}
    return Execution(
        id=f"e{number}", run_id=given["run_id"], session_id="s", number=number, tool="halve",
        version_id="v", arguments=given["arguments"], result=2, ok=True, at=NOW, seconds=0.5,
        sources=sources,
    )  # fmt: skip


def test_a_recorded_chain_numbers_its_steps() -> None:
    chain = instance_of(
        "s",
        [
            execution(4, {"n": "request"}),
            execution(7, {"n": {"step": 4, "path": ["half"]}, "m": {"step": 99, "path": []}}),
            execution(2, {"n": {"step": 7, "path": [], "run": "r1"}}, run_id="r2", arguments=[1]),
        ],
    )
    assert (chain.session_id, chain.run_id) == ("s", "r2")
    first, second, third = chain.steps
    assert first.declared == {"n": FromRequest()}
    assert second.declared == {"n": FromStep(0, ("half",))}
    assert third.declared == {"n": FromStep(1)}
    assert (third.arguments, third.seconds, third.result) == ({}, 0.5, 2)


@pytest.mark.parametrize(
    ("steps", "longer", "inside"),
    [
        (("a", "b"), ("a", "b", "c"), True),
        (("b", "c"), ("a", "b", "c"), True),
        (("a", "c"), ("a", "b", "c"), False),
        (("a", "b", "c"), ("a", "b", "c"), True),
        (("a", "b", "c", "d"), ("a", "b", "c"), False),
    ],
)
def test_a_chain_inside_another(
    steps: tuple[str, ...], longer: tuple[str, ...], inside: bool
) -> None:
    assert _inside(steps, longer) is inside


def test_what_came_of_a_pattern_is_told() -> None:
    assert _title(("a", "b")) == "a > b as one tool"
    assert PatternResult(("a", "b"), "built", "why", "a_then_b", "p1").to_json() == {
        "steps": ["a", "b"], "outcome": "built", "reason": "why", "tool": "a_then_b",
        "proposal": "p1",
    }  # fmt: skip
