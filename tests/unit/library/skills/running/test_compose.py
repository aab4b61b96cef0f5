"""Composed skills: steps in order, fanned out in order, and never beyond the bounds."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from hammerstone.core.calls import Artifact, Call, Failure, Outcome, Program
from hammerstone.core.clock import SystemClock
from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.library.policies import Policies
from hammerstone.library.skills import Skills
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.skills.running.compose import ComposedResult, SkillRunner, StepResult
from hammerstone.library.skills.skill import Skill
from tests.unit.library.skills.conftest import skill_text

Script = Callable[[Any], Any]


class Scripts:
    """A sandbox in which each script is a function of what it is given on stdin."""

    def __init__(self, **functions: Script) -> None:
        self._functions = functions
        self.ran: list[tuple[str, Json]] = []

    async def call(self, program: Program, call: Call, **_: Any) -> Outcome:
        path, argv, stdin, layout = call.args
        assert argv == []
        assert "SKILL.md" in cast(Mapping[str, str], layout)
        given = json.loads(cast(str, stdin))
        self.ran.append((str(path), given))
        name = Path(str(path)).stem
        try:
            value = self._functions[name](given)
        except ValueError as error:
            return Outcome(None, Failure.RAISED, "ValueError", str(error))
        return Outcome(0, stdout=json.dumps(value), artifacts=(Artifact(f"{name}.txt", b"12345"),))


async def tools(name: str, arguments: JsonObject) -> StepResult:
    if name == "missing":
        raise NotFound("there is no missing")
    return StepResult(sum(cast(list[int], arguments["numbers"])))


class Shop:
    """Skills to be run, with their scripts."""

    def __init__(self, skills: Skills, policies: Policies) -> None:
        self.skills, self.policies = skills, policies
        self.scripts = Scripts(
            split=lambda given: given["text"].split(),
            length=len,
            fail=lambda given: int("x" * len(given)),
            main=lambda given: {"got": given},
        )

    async def add(self, name: str, plan: str = "", more: str = "", *scripts: str) -> Skill:
        head = more + ("metadata:\n  hammerstone: plan.yaml\n" if plan else "")
        files = {"SKILL.md": skill_text(name, more=head).encode()}
        files |= {f"scripts/{script}.py": b"print(1)" for script in scripts or ("split", "length")}
        files |= {"plan.yaml": plan.encode()} if plan else {}
        return (await self.skills.add(Bundle(name, files, "folder"))).skill

    async def run(self, skill: Skill, inputs: Json, call_tool: Any = tools) -> ComposedResult:
        async def sandbox() -> Sandbox:
            return cast(Sandbox, self.scripts)

        return await SkillRunner(self.skills, sandbox, call_tool, SystemClock()).run(skill, inputs)


@pytest.fixture
async def shop(skills: Skills, policies: Policies) -> Shop:
    await policies.load()
    return Shop(skills, policies)


LENGTHS = """
inputs: {text: {type: string}}
steps:
  - {id: parts, run: scripts/split.py, with: {text: $input.text}}
  - {id: lengths, run: scripts/length.py, for_each: $parts, with: $item}
  - {id: total, tool: add, with: {numbers: $lengths}}
output: {total: $total, first: $lengths.0, words: $parts}
"""


async def test_steps_follow_each_other_and_parts_keep_their_order(shop: Shop) -> None:
    done = await shop.run(await shop.add("lengths", LENGTHS), {"text": "a three of"})
    assert done.ok
    assert done.value == {"total": 8, "first": 1, "words": ["a", "three", "of"]}
    assert [(step.step, step.what, step.ok) for step in done.steps] == [
        ("parts", "scripts/split.py", True),
        *[("lengths", "scripts/length.py", True)] * 3,
        ("total", "add", True),
    ]
    assert [one.name for one in done.artifacts] == ["split.txt", *["length.txt"] * 3]
    shown = done.to_json()
    assert (shown["ok"], shown["error"], len(cast(Any, shown["steps"]))) == (True, "", 5)
    assert cast(Any, shown["artifacts"])[0] == {"name": "split.txt", "bytes": 5}
    assert cast(Any, shown["steps"])[0]["skill"] == "lengths"


async def test_a_skill_without_a_plan_is_its_script(shop: Shop) -> None:
    skill = await shop.add("plain", "", "", "main", "split")
    assert (await shop.run(skill, {"a": 1})).value == {"got": {"a": 1}}
    assert shop.scripts.ran == [("scripts/main.py", {"a": 1})]


async def test_an_empty_fan_out_is_an_empty_list(shop: Shop) -> None:
    plan = "steps: [{id: a, run: scripts/length.py, for_each: [], with: $item}]"
    assert (await shop.run(await shop.add("none", plan), None)).value == []


async def test_items_have_their_numbers(shop: Shop) -> None:
    plan = """
steps: [{id: a, tool: add, for_each: $input, with: {numbers: [$item, $index]}}]
"""
    assert (await shop.run(await shop.add("numbers", plan), [5, 6, 7])).value == [5, 7, 9]


async def test_a_failing_step_ends_the_run_and_is_named(shop: Shop) -> None:
    plan = """
steps:
  - {id: bad, run: scripts/fail.py, with: abc}
  - {id: after, run: scripts/length.py, with: abc}
"""
    skill = await shop.add("failing", plan, "", "fail", "length")
    done = await shop.run(skill, None)
    assert not done.ok
    assert done.error.startswith("bad (scripts/fail.py): ValueError: ")
    assert [(step.step, step.ok, step.error) for step in done.steps] == [("bad", False, done.error)]
    assert done.value is None


async def test_one_failing_part_fails_the_step(shop: Shop) -> None:
    plan = "steps: [{id: bad, run: scripts/fail.py, for_each: [a, b], with: $item}]"
    done = await shop.run(await shop.add("parts", plan, "", "fail"), None)
    assert done.error.startswith("bad (scripts/fail.py): ValueError")
    assert len(done.steps) == 2


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({}, "lengths: the input does not fit: 'text' is a required property"),
        ({"text": 5}, "lengths: the input does not fit: 5 is not of type 'string'"),
        ([], "lengths: the input does not fit: [] is not of type 'object'"),
    ],
)
async def test_an_input_has_to_fit(shop: Shop, inputs: Json, told: str) -> None:
    done = await shop.run(await shop.add("lengths", LENGTHS), inputs)
    assert (done.error, done.steps) == (told, ())


async def test_inputs_that_are_no_schema_are_told(shop: Shop) -> None:
    plan = "inputs: {a: {type: 5}}\nsteps: [{id: x, tool: add, with: {numbers: []}}]"
    done = await shop.run(await shop.add("odd", plan), {"a": 1})
    assert done.error.startswith("odd: the plan's inputs are not JSON Schema: ")


async def test_tools_only_where_they_are_given_and_listed(shop: Shop) -> None:
    plan = "steps: [{id: sum, tool: add, with: {numbers: [1, 2]}}]"
    skill = await shop.add("summing", plan)
    assert (await shop.run(skill, None)).value == 3
    assert (await shop.run(skill, None, None)).error == "sum (add): no tools may be called here"
    listed = await shop.add("listed", plan, "allowed-tools: other add(x)\n")
    assert (await shop.run(listed, None)).value == 3
    unlisted = await shop.add("unlisted", plan, "allowed-tools: other\n")
    done = await shop.run(unlisted, None)
    assert done.error == "sum (add): unlisted does not list add in allowed-tools"


async def test_arguments_of_a_tool_are_named_and_a_missing_tool_is_told(shop: Shop) -> None:
    unnamed = await shop.add("unnamed", "steps: [{id: sum, tool: add, with: [1]}]")
    assert (await shop.run(unnamed, None)).error == "sum (add): the arguments of add are not named"
    missing = await shop.add("missing", "steps: [{id: sum, tool: missing}]")
    assert (await shop.run(missing, None)).error == "sum (missing): there is no missing"


async def test_for_each_needs_a_list_of_a_bounded_length(shop: Shop) -> None:
    plan = "steps: [{id: a, tool: add, for_each: $input, with: {numbers: [$item]}}]"
    skill = await shop.add("each", plan)
    assert (await shop.run(skill, "abc")).error == "each: a: for_each is not over a list"
    await shop.policies.change("skills", {"max_items": 2}, who="ada", why="test")
    assert (await shop.run(skill, [1, 2])).value == [1, 2]
    assert (await shop.run(skill, [1, 2, 3])).error == "each: a: 3 parts, allowed are 2"


async def test_steps_are_counted_over_everything(shop: Shop) -> None:
    plan = "steps: [{id: a, tool: add, for_each: $input, with: {numbers: [$item]}}]"
    skill = await shop.add("each", plan)
    await shop.policies.change("skills", {"max_steps": 3}, who="ada", why="test")
    assert (await shop.run(skill, [1, 2, 3])).value == [1, 2, 3]
    assert (await shop.run(skill, [1, 2, 3, 4])).error == "each: more than 3 steps"


async def test_at_most_so_many_parts_at_once(shop: Shop) -> None:
    running, most = 0, 0

    async def slow(name: str, arguments: JsonObject) -> StepResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return StepResult(None)

    await shop.policies.change("skills", {"parallel": 2}, who="ada", why="test")
    plan = "steps: [{id: a, tool: add, for_each: $input, with: {}}]"
    assert (await shop.run(await shop.add("each", plan), [1] * 6, slow)).ok
    assert most == 2


async def test_skills_call_skills_but_not_in_circles(shop: Shop) -> None:
    await shop.add("inner", "steps: [{id: sum, tool: add, with: {numbers: $input}}]")
    outer = await shop.add("outer", "steps: [{id: call, skill: inner, with: [4, 5]}]")
    done = await shop.run(outer, None)
    assert done.value == 9
    assert [(step.skill, step.step) for step in done.steps] == [("inner", "sum"), ("outer", "call")]
    one = await shop.add("one", "steps: [{id: a, skill: two}]")
    await shop.add("two", "steps: [{id: b, skill: one}]")
    assert (await shop.run(one, None)).error == (
        "a (two): b (one): skills call each other in a circle: one > two > one"
    )


@pytest.mark.parametrize(("depth", "ok"), [(2, True), (1, False)])
async def test_how_deep_skills_call_skills(shop: Shop, depth: int, ok: bool) -> None:
    await shop.policies.change("skills", {"max_depth": depth}, who="ada", why="test")
    await shop.add("inner", "steps: [{id: sum, tool: add, with: {numbers: [1]}}]")
    outer = await shop.add("outer", "steps: [{id: call, skill: inner}]")
    done = await shop.run(outer, None)
    assert done.ok is ok
    if not ok:
        assert done.error == "call (inner): skills call skills more than 1 deep"


async def test_a_run_ends_in_time(shop: Shop) -> None:
    async def forever(name: str, arguments: JsonObject) -> StepResult:
        await asyncio.sleep(60)
        return StepResult(None)

    await shop.policies.change("skills", {"seconds": 0.05}, who="ada", why="test")
    skill = await shop.add("slow", "steps: [{id: a, tool: add, with: {}}]")
    assert (await shop.run(skill, None, forever)).error == "it took longer than 0 seconds"


async def test_a_reference_to_nothing_is_told(shop: Shop) -> None:
    plan = "steps: [{id: a, tool: add, with: {numbers: $input.zz}}]"
    done = await shop.run(await shop.add("nothing", plan), {"a": 1})
    assert "there is no 'zz' in $input.zz" in done.error
