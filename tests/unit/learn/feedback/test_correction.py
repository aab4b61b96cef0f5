"""A value that a person stated: it becomes a case, the tool falls, is repaired, and rises again."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.errors import ModelUnavailable, Stopped
from hammerstone.core.json_types import Json
from hammerstone.core.repair import FailedCall
from hammerstone.core.tools import Assessment, Effect, Status, Tool
from hammerstone.learn.feedback.correction import CorrectionOutcome, Corrections, StatedValue
from hammerstone.learn.repair.tool_repairer import RepairOutcome, RepairResult
from hammerstone.library.search import Hit
from hammerstone.storage import Execution
from hammerstone.storage.stores.learning.analyses import Confirmation
from tests.hand_clock import HandClock
from tests.unit.own_code import OwnCodeSandbox
from tests.unit.run.made_runs import NOW, make_tool

DOUBLE = "def double(n):\n    return n * 2\n"
TRIPLE = "def double(n):\n    return n * 3\n"


class Surroundings:
    """Every service of corrections: a small registry, what was said, a search and a repairer."""

    def __init__(self, *tools: Tool, hits: dict[str, float] | None = None) -> None:
        self.analyses = self
        self.tools = {tool.name: tool for tool in tools}
        self.words: list[Confirmation] = []
        self.known: dict[str, list[Assessment]] = {}
        self.hits = hits or {}
        self.failed: list[FailedCall] = []
        self.repair: Any = RepairResult(RepairOutcome.FAILED, "no fix was found")

    async def confirmations(self, tool: str) -> list[Confirmation]:
        return [each for each in self.words if each.tool == tool]

    async def confirm(self, new: Confirmation) -> None:
        self.words.append(new)

    async def find(self, name: str, *more: Any, **options: Any) -> Any:
        if options:  # a search
            return [Hit(one, score, score, None, score) for one, score in self.hits.items()]
        return self.tools.get(name)

    async def get(self, name: str) -> Tool:
        return self.tools[name]

    async def assess(self, name: str, assessment: Assessment) -> None:
        self.known.setdefault(assessment.version_id, []).append(assessment)
        self.tools[name] = replace(self.tools[name], status=assessment.status)

    async def assessments(self, version_id: str) -> list[Assessment]:
        return self.known.get(version_id, [])

    async def look_into(self, failed: FailedCall) -> RepairResult:
        self.failed.append(failed)
        if isinstance(self.repair, Exception):
            raise self.repair
        return self.repair

    @property
    def corrections(self) -> Corrections:
        async def sandbox() -> Any:
            return OwnCodeSandbox()

        me = cast(Any, self)
        return Corrections(me, me, me, me, sandbox, HandClock())


def stated(value: Json = 10, got: Json = 15, user: str = "ada", **more: Any) -> StatedValue:
    call = Execution(
        "e1",
        "run1",
        "s1",
        1,
        "double",
        "v-double-1",
        more.pop("arguments", {"n": 5}),
        got,
        True,
        NOW,
    )
    return StatedValue(call, value, "double 5", user)


def wrong(status: Status = Status.VERIFIED) -> Tool:
    return make_tool(code=TRIPLE, status=status)


async def test_the_tool_falls_and_a_repair_is_tried_with_the_value_as_a_case() -> None:
    around = Surroundings(wrong())
    came = await around.corrections.follow(stated())
    assert (came.outcome, came.reason) == (CorrectionOutcome.NOT_REPAIRED, "no fix was found")
    assert came.standing == "experimental"
    assert [(w.result, w.right, w.user) for w in around.words] == [
        (15, False, "ada"),
        (10, True, "ada"),
    ]
    (failed,) = around.failed
    assert failed.tool.status is Status.VERIFIED  # as it stood before
    assert (failed.arguments, failed.request, failed.run_id) == ({"n": 5}, "double 5", "run1")
    assert failed.expected is not None
    assert (failed.expected.expected, failed.expected.origin) == (10, "user")
    ((fallen,),) = around.known.values()
    assert fallen.evidence["from"] == "verified" and fallen.evidence["who"] == "feedback"
    assert await around.corrections.has_fallen(around.tools["double"])


async def test_a_repair_that_worked_is_told() -> None:
    around = Surroundings(wrong())
    around.repair = RepairResult(RepairOutcome.REPAIRED, "n * 2")
    came = await around.corrections.follow(stated())
    assert (came.outcome, came.reason) == (CorrectionOutcome.REPAIRED, "n * 2")


async def test_a_tool_that_gives_the_value_now_has_its_standing_back() -> None:
    around = Surroundings(make_tool(code=DOUBLE))
    came = await around.corrections.follow(stated())
    assert (came.outcome, came.standing) == (CorrectionOutcome.PASSES, "verified")
    assert around.tools["double"].status is Status.VERIFIED
    assert not await around.corrections.has_fallen(around.tools["double"])


async def test_an_experimental_tool_cannot_fall() -> None:
    around = Surroundings(wrong(Status.EXPERIMENTAL))
    await around.corrections.follow(stated())
    assert around.known == {}
    assert not await around.corrections.has_fallen(around.tools["double"])


@pytest.mark.parametrize("status", [Status.RETIRED, Status.DEPRECATED, None])
async def test_what_is_out_of_use_is_left_alone(status: Status | None) -> None:
    around = Surroundings(*([wrong(status)] if status else []))
    came = await around.corrections.follow(stated())
    assert came.outcome is CorrectionOutcome.OUT_OF_USE
    assert came.reason == (f"double is {status}" if status else "double is no longer in use")
    assert around.failed == [] and len(around.words) == 2


async def test_two_people_who_contradict_each_other_count_for_neither_side() -> None:
    around = Surroundings(wrong())
    await around.corrections.follow(stated(10))
    came = await around.corrections.follow(stated(12, user="eve"))
    assert came.outcome is CorrectionOutcome.CONTRADICTED
    assert len(around.failed) == 1  # of the first
    assert around.tools["double"].status is Status.VERIFIED  # nothing is stated any more


async def test_the_same_word_twice_is_kept_once() -> None:
    around = Surroundings(wrong())
    call = stated().call
    assert not await around.corrections.keep(call, [(10, True)], "ada")
    assert not await around.corrections.keep(call, [(10, True)], "ada")
    assert len(around.words) == 1
    assert not await around.corrections.keep(call, [(10, True)], "eve")
    assert len(around.words) == 2
    assert await around.corrections.keep(call, [(10, False)], "eve")


ADD = "def add_five(n):\n    return n + 5.0\n"


@pytest.mark.parametrize(
    ("tool", "relevance", "value", "meant"),
    [
        (make_tool("add_five", code=ADD), 0.9, 10, True),
        (make_tool("add_five", code=ADD), 0.81, 10, True),
        (make_tool("add_five", code=ADD), 0.8, 10, False),  # too far from what was used
        (make_tool("add_five", code=ADD), 0.9, 11, False),  # it gives something else
        (make_tool("add_five", code=ADD, effect=Effect.WRITES), 0.9, 10, False),
        (make_tool("add_five", code=ADD, parameters={"m": {"type": "number"}}), 0.9, 10, False),
    ],
)
async def test_another_tool_that_gives_the_value_was_meant(
    tool: Tool, relevance: float, value: Json, meant: bool
) -> None:
    around = Surroundings(wrong(), tool, hits={"double": 0.9, "add_five": relevance})
    came = await around.corrections.follow(stated(value))
    assert (came.outcome is CorrectionOutcome.ANOTHER_TOOL) is meant
    assert came.other == ("add_five" if meant else "")
    assert bool(around.failed) is not meant
    assert around.tools["double"].status is (Status.VERIFIED if meant else Status.EXPERIMENTAL)


@pytest.mark.parametrize(("value", "n"), [(0, -5), (1, -4), (5, 5)])
async def test_a_value_that_many_tools_give_means_no_other_tool(value: Json, n: int) -> None:
    around = Surroundings(
        wrong(), make_tool("add_five", code=ADD), hits={"double": 0.9, "add_five": 0.9}
    )
    came = await around.corrections.follow(stated(value, arguments={"n": n}))
    assert came.other == ""


async def test_what_a_person_stated_is_tried_again_until_the_tool_gives_it() -> None:
    around = Surroundings(wrong())
    around.repair = ModelUnavailable("no model is there")
    came = await around.corrections.follow(stated())
    assert (came.outcome, came.reason) == (CorrectionOutcome.NOT_REPAIRED, "no model is there")
    around.repair = RepairResult(RepairOutcome.FAILED, "again")
    assert (await around.corrections.repair_open("double")) == around.repair
    assert around.failed[-1].tool.status is Status.VERIFIED
    fallen = around.tools["double"]
    around.tools["double"] = replace(fallen, version=make_tool(code=DOUBLE).version)
    assert await around.corrections.repair_open("double") is None
    assert around.tools["double"].status is Status.VERIFIED


async def test_a_stop_is_not_taken_for_a_failed_repair() -> None:
    around = Surroundings(wrong())
    around.repair = Stopped("everything is stopped")
    with pytest.raises(Stopped):
        await around.corrections.follow(stated())
