"""The input of a skill: from the words, bound like a tool's, or read from its text by a model."""

from typing import Any, cast

import pytest

from hammerstone.core.approvals import Question, QuestionKind
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.tools import Status, Tool
from hammerstone.library.skills import Skill
from hammerstone.library.skills.running.plan import read_plan
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.run.bind.binding import ArgumentSources, BoundArguments
from hammerstone.run.bind.skill_inputs import SkillInput, SkillInputs
from hammerstone.run.find.plan import PlanStep
from tests.unit.run.made_runs import NOW, make_run

SKILL = Skill("count-words", "Counts words.", {}, "Give text.", {}, (), "d", "test", NOW)
GIVEN = ArgumentSources(PlanStep("1", "count"), (), (), {}, {})
STEPS = "steps:\n  - tool: count\n"


class Around:
    """The binder and the models of skill inputs."""

    def __init__(self, bound: BoundArguments | None = None, *replies: Any) -> None:
        self._bound = bound
        self.model = ScriptedModel([*replies])
        self.tools: list[Tool] = []

    async def bind(self, run: Any, tool: Tool, given: Any) -> BoundArguments:
        self.tools.append(tool)
        assert self._bound is not None
        return self._bound

    def of(self, run: Any, role: Any) -> ScriptedModel:
        return self.model

    @property
    def inputs(self) -> SkillInputs:
        return SkillInputs(cast(Any, self), cast(Any, self))


async def test_a_plan_without_inputs_gets_the_words() -> None:
    around = Around()
    found = await around.inputs.of_plan(make_run("count this"), SKILL, read_plan(STEPS), GIVEN)
    assert found == SkillInput({"text": "count this"})
    assert around.tools == []


async def test_what_a_plan_declares_is_bound_like_a_tools_arguments() -> None:
    question = Question(QuestionKind.MISSING, "Which text?", "text")
    around = Around(BoundArguments({"times": 2}, problem="p", question=question, certain=False))
    plan = read_plan(
        "inputs:\n  text: {type: string}\n  times: {type: integer, default: 1}\n" + STEPS
    )
    found = await around.inputs.of_plan(make_run(), SKILL, plan, GIVEN)
    assert found == SkillInput({"times": 2}, "p", question, certain=False)
    (tool,) = around.tools
    takes = tool.version.spec.takes
    assert (takes.names, takes.required) == (("text", "times"), ("text",))
    assert (tool.version.spec.name, tool.version.spec.description) == (
        "count_words", "Counts words.",
    )  # fmt: skip
    assert (tool.version.code, tool.version.suite, tool.status) == ("", (), Status.VERIFIED)


@pytest.mark.parametrize(
    ("reply", "values"),
    [('{"text": "a b"}', {"text": "a b"}), ("{}", {}), ("[1]", None), ("5", None), ("{", None),
     (ModelNonsense("no grammar"), None)],
)  # fmt: skip
async def test_what_a_script_wants_is_read_from_the_skills_text(reply: Any, values: Any) -> None:
    around = Around(None, reply)
    found = await around.inputs.of_script(make_run("count a b"), SKILL, 100)
    assert not found.certain and found.question is None
    if values is None:
        assert (found.values, found.problem) == ({}, "I could not read the input of count-words")
    else:
        assert (found.values, found.problem) == (values, "")
    (asked,) = around.model.prompts
    told = "\n".join(message.text for message in asked.messages)
    assert "Give text." in told and "count a b" in told
    assert asked.schema == {"type": "object"}
