"""A skill at work for a request: which is chosen, who may start it, and what it comes to."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.calls import Failure
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Status, Tool
from hammerstone.guard.maturity import Permission
from hammerstone.library.skills import Skill
from hammerstone.library.skills.running.compose import CallTool
from hammerstone.library.skills.skill import SkillPolicy
from hammerstone.run.act.skill_tools import SkillTools
from hammerstone.run.act.skill_work import FittingSkill, SkillWork, steps_of
from hammerstone.run.act.step_outcome import CallExecution, SkillUse, StepOutcome
from hammerstone.run.bind.binding import ArgumentSources
from hammerstone.run.bind.skill_inputs import SkillInput
from hammerstone.run.context import Run
from hammerstone.run.find.plan import PlanStep
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import NOW, make_run, make_tool, session_value, with_stub

PLAN = "plan.yaml"
DOUBLE_PLAN = """
inputs:
  n: {type: number}
steps:
  - id: twice
    tool: double
    with: {n: $input.n}
output: $twice
"""
GIVEN = ArgumentSources(PlanStep("1", "double 5"), (), (), {}, {})


def skill(name: str = "doubling", files: Sequence[str] = (), **front: Json) -> Skill:
    sizes = dict.fromkeys(files, 10)
    meta: dict[str, Json] = {"hammerstone": PLAN} if PLAN in files else {}
    return Skill(
        name,
        "Doubles.",
        {**front, "metadata": {**meta}},
        "Do it twice.",
        sizes,
        (),
        "d",
        "test",
        NOW,
    )


class Around:
    """Every service of skill work; `texts` are the contents of a skill's files."""

    def __init__(
        self,
        known: Skill | None = None,
        *,
        probability: float = 0.9,
        read: SkillInput | None = None,
        texts: dict[str, str] | None = None,
        found: Sequence[Any] = (),
        tool: Tool | None = None,
        gives: CallExecution | None = None,
        allowed: Permission | None = None,
    ) -> None:
        self.known, self.probability = known or skill(), probability
        self.policy = SkillPolicy(references=2, reference_chars=100)
        self.texts, self.passages = texts or {}, [*found]
        self.read = read or SkillInput({"n": 5})
        self.tool, self.gives = tool or make_tool(), gives or CallExecution(10)
        self.allowed = allowed or Permission(True)
        self.sandbox, self.documents = self.open_sandbox, self
        self.told: list[Event] = []
        self.notes: list[Sequence[str]] = []
        self.added: list[tuple[str, dict[str, str]]] = []
        self.calls: list[tuple[str, JsonObject, int | None]] = []
        self.inputs: list[str] = []

    async def open_sandbox(self) -> Any:
        raise AssertionError("nothing runs in the sandbox here")

    async def find(self, text: str, user: str, most: int) -> list[Any]:
        if self.probability == 0:
            return []
        return [SimpleNamespace(name=self.known.name, probability=self.probability,
                                explanation="words")]  # fmt: skip

    async def open(self, name: str, user: str) -> Skill:
        return self.known

    def level_of(self, one: Skill) -> int:
        return 3

    async def text(self, one: Skill, path: str) -> str:
        return self.texts[path]

    async def of_plan(self, run: Run, one: Skill, plan: Any, given: Any) -> SkillInput:
        assert (run.request.skill_level, one, given) == (3, self.known, GIVEN)
        self.inputs.append("plan")
        return self.read

    async def of_script(self, run: Run, one: Skill, most: int) -> SkillInput:
        assert (run.request.skill_level, one) == (3, self.known)
        self.inputs.append(f"script {most}")
        return self.read

    async def solve_step(
        self, run: Run, mentions: Any, made: Sequence[Any], notes: Sequence[str]
    ) -> StepOutcome:
        self.notes.append((*notes, f"level {run.request.skill_level}", f"made {len(made)}"))
        return StepOutcome(True, result=10)

    async def add_texts(self, source: str, texts: dict[str, str], tenant: str) -> None:
        self.added.append((source, texts))

    async def search(self, words: str, tenant: str, most: int, source: str) -> list[Any]:
        return self.passages[:most]

    def for_run(self, run: Run) -> CallTool:
        return with_stub(SkillTools, self).for_run(run)

    async def named(self, run: Run, name: str) -> Tool:
        return self.tool

    async def request_permission(self, run: Run, action: Any) -> Permission:
        return self.allowed

    async def call(self, run: Run, tool: Tool, arguments: JsonObject) -> CallExecution:
        self.calls.append((tool.name, arguments, run.request.skill_level))
        return self.gives

    def keep_value(self, run: Run, name: str, value: Json, number: int, about: str) -> None:
        run.ledger.values.append(session_value(value, step=number, name=name, about=about))

    def keep_files(self, run: Run, artifacts: Any, number: int) -> None:
        pass

    @property
    def work(self) -> SkillWork:
        return with_stub(SkillWork, self)

    async def carried_out(self, run: Run | None = None, *, by_person: bool = True) -> StepOutcome:
        run = run or make_run(told=self.told)
        chosen = FittingSkill(self.known, self.probability, by_person)
        return await self.work.carry_out(run, chosen, GIVEN, HandClock())


@pytest.mark.parametrize(
    ("probability", "above", "found"),
    [(0.9, 0.0, True), (0.8, 0.0, True), (0.79, 0.0, False), (0.9, 0.9, True), (0.9, 0.95, False),
     (0, 0.0, False)],
)  # fmt: skip
async def test_a_skill_is_chosen_that_fits_and_is_likelier(
    probability: float, above: float, found: bool
) -> None:
    around = Around(probability=probability)
    chosen = await around.work.fitting(make_run(told=around.told), "double 5", above)
    assert (chosen is not None) is found
    assert [event.kind for event in around.told] == [EventKind.TOOL_FOUND] * found
    if chosen is not None:
        assert (chosen.skill.name, chosen.probability, chosen.by_person) == (
            "doubling", probability, False,
        )  # fmt: skip
        assert around.told[0].text == f"found the skill doubling ({probability:.0%} likely to fit)"


@pytest.mark.parametrize(
    ("front", "by_program", "refused"),
    [
        ({}, False, ""),
        ({}, True, ""),
        ({"user-invocable": False}, False, "people do not start it"),
        ({"user-invocable": False}, True, ""),
        ({"disable-model-invocation": True}, True, "agents do not start it"),
        ({"disable-model-invocation": True}, False, ""),
    ],
)
async def test_who_may_start_a_skill_by_its_name(
    front: dict[str, Json], by_program: bool, refused: str
) -> None:
    work, run = Around(skill(**front)).work, make_run(by_program=by_program)
    if refused:
        with pytest.raises(Refused, match=refused):
            await work.named(run, "doubling")
    else:
        chosen = await work.named(run, "doubling")
        assert (chosen.probability, chosen.by_person) == (1.0, not by_program)


async def test_a_plan_calls_tools_at_the_skills_own_level() -> None:
    around = Around(skill(files=[PLAN]), texts={PLAN: DOUBLE_PLAN})
    run = make_run(told=around.told)
    outcome = await around.carried_out(run)
    assert (outcome.ok, outcome.result, outcome.fit) == (True, 10, 0.9)
    assert outcome.certain_arguments and outcome.value is run.ledger.values[-1]
    assert around.calls == [("double", {"n": 5}, 3)]
    assert run.request.skill_level is None  # the request itself is never lowered
    assert outcome.skill is not None
    assert (outcome.skill.name, outcome.skill.level) == ("doubling", 3)
    assert outcome.skill.call == 'doubling({"n": 5})'
    assert [step["ok"] for step in outcome.skill.steps] == [True]
    assert run.ledger.calls == 1
    assert around.told[0].text == "working by the skill doubling"


async def test_an_input_that_a_model_read_is_not_certain() -> None:
    around = Around(
        skill(files=[PLAN]), texts={PLAN: DOUBLE_PLAN}, read=SkillInput({"n": 5}, certain=False)
    )
    assert not (await around.carried_out()).certain_arguments


async def test_a_step_that_fails_is_the_skills_error() -> None:
    gives = CallExecution(None, Failure.RAISED, "ValueError: no")
    around = Around(skill(files=[PLAN]), texts={PLAN: DOUBLE_PLAN}, gives=gives)
    run = make_run()
    outcome = await around.carried_out(run)
    assert not outcome.ok and outcome.error.startswith("doubling: ")
    assert "ValueError: no" in outcome.error
    assert outcome.skill is not None and len(outcome.skill.steps) == 1
    assert (run.ledger.values, run.ledger.calls) == ([], 0)


async def test_a_missing_input_stops_before_anything_is_done() -> None:
    around = Around(
        skill(files=[PLAN]), texts={PLAN: DOUBLE_PLAN}, read=SkillInput({}, "n is missing")
    )
    run = make_run()
    outcome = await around.carried_out(run)
    assert (outcome.ok, outcome.error, around.calls) == (False, "n is missing", [])
    assert run.budget.spent.calls == 0


async def test_a_plan_that_cannot_be_read_is_told() -> None:
    around = Around(skill(files=[PLAN]), texts={PLAN: "steps: 5"})
    outcome = await around.carried_out()
    assert not outcome.ok and outcome.error.startswith("doubling: ")


async def test_which_of_several_scripts_is_not_guessed() -> None:
    around = Around(skill(files=["scripts/a.py", "scripts/b.py"]))
    outcome = await around.carried_out()
    assert not outcome.ok and "no one script to run" in outcome.error
    assert around.inputs == []


@pytest.mark.parametrize("files", [[], ["scripts/run.sh"], ["references/a.png"]])
async def test_a_skill_with_nothing_to_run_is_read(files: list[str]) -> None:
    around = Around(skill(files=files))
    outcome = await around.carried_out()
    assert (outcome.ok, outcome.result) == (True, 10)
    assert outcome.skill == SkillUse("doubling", 3)
    ((text, *rest),) = around.notes
    assert "Do it twice." in text and rest == ["level 3", "made 0"]
    assert around.added == []


def passage(path: str, text: str, *, meaning: float | None, words: float = 0.0) -> Any:
    return SimpleNamespace(path=path, section="S", text=text, meaning=meaning, words=words)


async def test_the_passages_that_a_request_is_about_are_shown() -> None:
    files = {"references/a.md": "alpha", "references/b.txt": "beta", "references/c.bin": "x"}
    found = [passage("references/a.md", "alpha", meaning=0.2),
             passage("references/b.txt", "beta", meaning=0.19)]  # fmt: skip
    around = Around(skill(files=[*files]), texts=files, found=found)
    await around.carried_out()
    ((_, *shown, level, made),) = around.notes
    assert len(shown) == 1 and "alpha" in shown[0] and "references/a.md" in shown[0]
    ((source, added),) = around.added
    assert source.endswith("doubling") and set(added) == {"references/a.md", "references/b.txt"}
    assert (level, made) == ("level 3", "made 0")


@pytest.mark.parametrize(("words", "shown"), [(0.5, 1), (0.0, 0)])
async def test_without_an_embedder_words_decide(words: float, shown: int) -> None:
    files = {"references/a.md": "alpha"}
    found = [passage("references/a.md", "alpha", meaning=None, words=words)]
    around = Around(skill(files=[*files]), texts=files, found=found)
    await around.carried_out()
    assert len(around.notes[0]) == 3 + shown


def test_the_steps_of_a_skill_are_those_of_its_answer() -> None:
    step: JsonObject = {"skill": "s", "step": "1", "what": "double", "ok": True, "error": "",
                        "seconds": 0.5}  # fmt: skip
    failed: JsonObject = {**step, "step": "2", "ok": False, "error": "no"}
    assert steps_of(SkillUse("s", 3, steps=(step, failed))) == (
        {"id": "1", "text": "double", "skill": "s", "status": "done", "error": None,
         "seconds": 0.5},
        {"id": "2", "text": "double", "skill": "s", "status": "failed", "error": "no",
         "seconds": 0.5},
    )  # fmt: skip


async def test_the_same_call_is_made_once_in_a_skill() -> None:
    around = Around()
    call = around.for_run(make_run())
    first = await call("double", {"n": 5})
    assert (first.value, first.error) == (10, "")
    assert await call("double", {"n": 5}) is first
    await call("double", {"n": 6})
    assert [arguments for _, arguments, _ in around.calls] == [{"n": 5}, {"n": 6}]


@pytest.mark.parametrize(
    ("status", "fine"),
    [(Status.VERIFIED, True), (Status.TRUSTED, True), (Status.DEPRECATED, True),
     (Status.EXPERIMENTAL, False), (Status.RETIRED, False)],
)  # fmt: skip
async def test_steps_use_only_what_is_proved(status: Status, fine: bool) -> None:
    call = Around(tool=make_tool(status=status)).for_run(make_run())
    if fine:
        assert (await call("double", {"n": 5})).ok
    else:
        with pytest.raises(Refused, match=f"double is {status}"):
            await call("double", {"n": 5})


async def test_what_is_not_allowed_or_does_not_fit_is_not_called() -> None:
    around = Around(allowed=Permission(False, "it writes"))
    with pytest.raises(Refused, match="double was not run: it writes"):
        await around.for_run(make_run())("double", {"n": 5})
    with pytest.raises(BadRequest, match="double: "):
        await around.for_run(make_run())("double", {"n": "five"})
    assert around.calls == []


@pytest.mark.parametrize(
    ("executed", "error"),
    [(CallExecution(None, Failure.RAISED, "E: no"), "E: no"),
     (CallExecution(None, Failure.TIMEOUT), str(Failure.TIMEOUT))],
)  # fmt: skip
async def test_a_call_that_fails_says_why(executed: CallExecution, error: str) -> None:
    result = await Around(gives=executed).for_run(make_run())("double", {"n": 5})
    assert (result.ok, result.error, result.value) == (False, error, None)


async def test_a_skill_of_another_name_is_not_found() -> None:
    class Nothing(Around):
        async def open(self, name: str, user: str) -> Skill:
            raise NotFound(f"there is no skill {name}")

    with pytest.raises(NotFound):
        await Nothing().work.named(replace(make_run()), "gone")
