"""What needs leave waits for a person, survives a restart, and is told when it comes too late."""

import asyncio
import json
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import OnEvent
from hammerstone.core.approvals import Approval, ApprovalScope, OnApproval
from hammerstone.core.errors import BadRequest, NotFound, Stopped
from hammerstone.core.tools import Effect, Status
from hammerstone.run.request import AskOptions
from tests.integration.eager import eager
from tests.integration.engine import Script, Watched, add_tool, scripted_engine

NUMBER = {"n": {"type": "number", "description": "a number"}}
DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
TRIPLE = "def triple(n: float) -> float:\n    return n * 3\n"


async def library(hs: Hammerstone) -> None:
    await eager(hs)
    await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"}, Effect.WRITES)
    await add_tool(hs, TRIPLE, "Triple a number.", NUMBER, {"type": "number"}, limits="heavy")


class Person:
    """Says the same to everything it is asked for leave."""

    def __init__(self, says: "bool | ApprovalScope | None") -> None:
        self.says = says
        self.asked: list[Approval] = []

    async def __call__(self, asked: Approval) -> "bool | ApprovalScope | None":
        self.asked.append(asked)
        return self.says


async def ask(
    hs: Hammerstone,
    tool: str,
    n: float = 4,
    *,
    session: str | None = None,
    on_event: OnEvent | None = None,
    on_approval: OnApproval | None = None,
    level: int | None = None,
):
    options = AskOptions(on_approval=on_approval, level=level)
    text = f"{tool} the number {n:g}"
    return await hs.ask(text, session=session, on_event=on_event, options=options)


def script() -> Script:
    return Script(
        arguments=lambda prompt: json.dumps({"n": 4}), fit='{"fits": true}', response="done"
    )


async def test_a_yes_lets_it_happen_and_shows_what_it_is(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        person, watched = Person(True), Watched()
        answer = await ask(hs, "double", on_approval=person, on_event=watched)
        assert answer.result == 8
        (asked,) = person.asked
        assert asked.kind == "write"
        assert "double (version 1)" in asked.text
        assert "n: 4" in asked.text
        assert "cannot be undone" in asked.text
        assert "approval_needed" in watched.kinds
        assert await hs.approvals.list() == []


async def test_a_no_is_kept_in_answer_event_and_trace(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        watched = Watched()
        answer = await ask(hs, "triple", on_approval=Person(False), on_event=watched)
        assert answer.status == "failed"
        assert "did not allow it" in answer.text
        assert "refused" in watched.kinds
        _, spans = await hs.traces.get(answer.trace_id)
        (step,) = [span for span in spans if span.name == "permission for triple"]
        assert step.attributes["hammerstone.guard.rule"] == "heavy"
        assert step.attributes["hammerstone.guard.given"] is False
        assert not [span for span in spans if span.kind == "tool"]


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.READS])
async def test_code_that_only_computes_needs_no_leave_verified_or_not(
    effect: Effect, tmp_path: Path
):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        code = "def half(n: float) -> float:\n    return n / 2\n"
        unproved = Status.EXPERIMENTAL
        await add_tool(hs, code, "Half a number.", NUMBER, {"type": "number"}, effect, unproved)
        await hs.policies.change("answer", {"unproved_alone": 0.5}, who="ada", why="it alone")
        person = Person(False)
        answer = await ask(hs, "half", on_approval=person)
        assert (answer.status, answer.result, person.asked) == ("done", 2, [])
        assert "not proved" in answer.why and answer.tool_confidence == 0.6


@pytest.mark.parametrize(("effect", "limits"), [("writes", "standard"), ("pure", "heavy")])
async def test_being_unverified_does_not_hide_what_needs_leave(
    effect: str, limits: str, tmp_path: Path
):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        await add_tool(
            hs,
            "def half(n: float) -> float:\n    return n / 2\n",
            "Half a number.",
            NUMBER,
            {"type": "number"},
            Effect(effect),
            Status.EXPERIMENTAL,
            limits=limits,
        )
        person = Person(False)
        answer = await ask(hs, "half", on_approval=person)
        assert answer.status == "failed" and "did not allow it" in answer.text
        assert len(person.asked) == 1


async def test_nobody_there_means_no_but_a_later_yes_counts_once(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        answer = await ask(hs, "double", session="s")
        assert answer.status == "failed"
        assert "hammerstone approvals give" in answer.text
    async with scripted_engine(script(), tmp_path) as hs:  # restarted
        (waiting,) = await hs.approvals.list("local")
        await hs.approvals.give(waiting.id[:8], who="local", user="local")
        with pytest.raises(BadRequest, match="already given"):
            await hs.approvals.refuse(waiting.id, who="local")
        assert (await ask(hs, "double", session="t")).result == 8
        again = await ask(hs, "double", session="u")
        assert again.status == "failed"  # once means once
        assert len(await hs.approvals.list("local")) == 1


async def test_leave_for_one_thing_is_not_leave_for_another(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        await hs.run_tool("double", {"n": 4}, session="s")
        (waiting,) = await hs.approvals.list()
        await hs.approvals.give(waiting.id, who="local")
        other = await hs.run_tool("double", {"n": 5}, session="s")
        assert other.status == "failed"
        someone = await hs.run_tool("double", {"n": 4}, session="bobs", user="bob")
        assert someone.status == "failed"
        assert (await hs.run_tool("double", {"n": 4}, session="s")).result == 8


async def test_leave_for_the_session_stands_there_only(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        person = Person(ApprovalScope.SESSION)
        assert (await ask(hs, "triple", session="s", on_approval=person)).result == 12
        again = await hs.run_tool("triple", {"n": 5}, session="s")
        assert again.result == 15
        assert len(person.asked) == 1
        assert (await hs.run_tool("triple", {"n": 5}, session="t")).status == "failed"
        assert (await hs.run_tool("double", {"n": 5}, session="s")).status == "failed"


async def test_a_person_elsewhere_can_decide_while_a_run_waits(tmp_path: Path):
    async with (
        scripted_engine(script(), tmp_path) as hs,
        scripted_engine(script(), tmp_path) as other,
    ):
        await library(hs)
        shown = asyncio.Event()

        async def absent(asked: Approval) -> None:
            shown.set()
            await asyncio.sleep(60)

        run = asyncio.create_task(ask(hs, "double", on_approval=absent))
        await shown.wait()
        (waiting,) = await other.approvals.list()
        await other.approvals.give(waiting.id, who="ada")
        assert (await asyncio.wait_for(run, 20)).result == 8


async def test_nobody_in_time_means_no(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        await hs.policies.change("approvals", {"wait_s": 0.2}, who="test", why="quick")

        async def absent(asked: Approval) -> None:
            await asyncio.sleep(60)

        answer = await ask(hs, "double", on_approval=absent)
        assert answer.status == "failed"
        assert "nobody allowed it in time" in answer.text
        assert [one.status for one in await hs.approvals.list(pending=False)] == ["expired"]


async def test_a_door_that_breaks_is_not_a_yes(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)

        async def broken(asked: Approval) -> bool:
            raise OSError("the terminal went away")

        assert (await ask(hs, "double", on_approval=broken)).status == "failed"


async def test_leave_for_a_run_that_has_ended_is_told_so(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        shown = asyncio.Event()

        async def absent(asked: Approval) -> None:
            shown.set()
            await asyncio.sleep(60)

        run = asyncio.create_task(ask(hs, "double", on_approval=absent))
        await shown.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        (waiting,) = await hs.approvals.list()
        with pytest.raises(BadRequest, match=r"has ended \(cancelled\)"):
            await hs.approvals.give(waiting.id, who="local")
        assert await hs.approvals.list() == []


async def test_one_cannot_decide_for_somebody_else(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        await hs.run_tool("double", {"n": 4}, session="s")
        (waiting,) = await hs.approvals.list()
        assert await hs.approvals.list("bob") == []
        with pytest.raises(NotFound):
            await hs.approvals.give(waiting.id, who="bob", user="bob")
        with pytest.raises(NotFound):
            await hs.approvals.give("nothing", who="local")


async def test_at_level_five_what_can_be_undone_is_not_asked(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        assert (await ask(hs, "triple", level=5)).result == 12
        assert (await ask(hs, "double", level=5)).status == "failed"  # a write that stays


async def test_below_level_four_nothing_is_built(tmp_path: Path):
    said = Script(kind='{"kind": "calculation"}')
    async with scripted_engine(said, tmp_path) as hs:
        await hs.policies.change("maturity", {"level": 3}, who="test", why="careful")
        answer = await hs.ask("What is the square root of 17 plus the cube of 5?")
        assert answer.status == "failed"
        assert "level is 3" in answer.text


async def test_an_answer_without_a_tool_needs_no_leave(tmp_path: Path):
    said = Script(kind='{"kind": "conversation"}', response="Hello! What can I do?")
    async with scripted_engine(said, tmp_path) as hs:
        await hs.policies.change("maturity", {"level": 1}, who="test", why="careful")
        answer = await hs.ask("hello")
        assert (answer.status, answer.text) == ("done", "Hello! What can I do?")


@pytest.mark.parametrize("scope", ["all", "session"])
async def test_a_stopped_engine_starts_nothing_until_it_is_resumed(tmp_path: Path, scope: str):
    async with scripted_engine(script(), tmp_path) as hs:
        await library(hs)
        target = "s" if scope == "session" else ""
        await hs.stop.stop(scope, target, who="ada", why="enough")
        with pytest.raises(Stopped, match="enough"):
            await ask(hs, "triple", level=5, session="s")
        await hs.stop.resume(scope, target)
        assert (await ask(hs, "triple", level=5, session="s")).result == 12


async def test_what_runs_is_stopped_by_another_process(tmp_path: Path):
    slow = "def slow(n: float) -> float:\n    import time\n    time.sleep(20)\n    return n\n"
    async with (
        scripted_engine(script(), tmp_path) as hs,
        scripted_engine(script(), tmp_path) as other,
    ):
        await add_tool(hs, slow, "Wait for a number.", NUMBER, {"type": "number"})
        started = asyncio.Event()

        async def seen(event: object) -> None:
            if getattr(event, "kind", "") == "executing":
                started.set()

        run = asyncio.create_task(
            hs.ask("slow the number 4", on_event=seen, options=AskOptions(run_id="r1"))
        )
        await started.wait()
        await other.stop.stop("run", "r1", who="ada")
        with pytest.raises(Stopped, match="this run was stopped by ada"):
            await asyncio.wait_for(run, 15)
