"""What needs a person's leave: who is asked, what their word is worth, and for how long."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.approvals import (
    Approval,
    ApprovalScope,
    PendingQuestion,
    Question,
    QuestionKind,
    QuestionReply,
)
from hammerstone.core.errors import Stopped
from hammerstone.core.tools import Effect
from hammerstone.guard.approvals import ApprovalDesk, ApprovalPolicy
from hammerstone.guard.maturity import Action, ActionKind, MaturityPolicy, Permission
from hammerstone.guard.stop import StopSwitch
from hammerstone.library.policies import Policies
from hammerstone.run.act.approval import PermissionRequests, Questions
from hammerstone.run.context import Contacts, Run
from hammerstone.run.services import Guards, Records
from hammerstone.storage import Database
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import make_run

SEND = Action(
    ActionKind.WRITE, "send", 2, {"to": "bob"}, Effect.WRITES, "Sends a mail.", reversible=False
)
CALL = Action(ActionKind.CALL, "double", 1, {"n": 5})


def without_bob(value: Any) -> Any:
    """A scrubber that knows one name."""
    if isinstance(value, str):
        return value.replace("bob", "[name]")
    if isinstance(value, dict):
        return {key: without_bob(item) for key, item in value.items()}
    return value


class Door:
    def __init__(self, db: Database, policies: Policies, clock: HandClock) -> None:
        self.db, self.clock = db, clock
        self.desk = ApprovalDesk(db, clock)
        self.stop = StopSwitch(db.stops, clock)
        guards = Guards(policies, self.stop, self.desk)
        records = Records(db, clock, None, without_bob)  # type: ignore[arg-type]
        self.permissions = PermissionRequests(guards, records)
        self.questions = Questions(guards, records)
        self.policies = policies
        self.told: list[Event] = []
        self.shown: list[Approval] = []

    async def run(self, said: Any = "nobody", **request: Any) -> Run:
        """A run with somebody at its door who says this, or nobody."""

        async def on_approval(asked: Approval) -> Any:
            self.shown.append(asked)
            if isinstance(said, Exception):
                raise said
            if said == "waits":
                await asyncio.sleep(60)
            return said

        contacts = Contacts(on_approval=None if said == "nobody" else on_approval)
        run = make_run("send it", told=self.told, contacts=contacts, clock=self.clock, **request)
        if await self.db.runs.find(run.id) is None:
            await self.db.runs.start(run.id, "s1", "ada", "send it", "t1", self.clock.now())
        return run

    async def ask(self, said: Any = "nobody", action: Action = SEND, **request: Any) -> Permission:
        return await self.permissions.request_permission(await self.run(said, **request), action)


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[Door]:
    clock = HandClock()
    db = await Database.open_url(f"sqlite:///{tmp_path}/door.db", clock=clock)
    policies = Policies(db, (MaturityPolicy, ApprovalPolicy))
    await policies.load()
    made = Door(db, policies, clock)
    yield made
    await made.stop.close()
    await db.close()


async def test_an_ordinary_call_needs_nobody(door: Door) -> None:
    assert await door.ask(action=CALL) == Permission(True)
    assert door.told == []


async def test_what_the_level_rules_out_is_refused(door: Door) -> None:
    build = Action(ActionKind.BUILD, "solving")
    run = await door.run(level=2)
    answer = await door.permissions.request_permission(run, build)
    assert (answer.given, answer.approval_id) == (False, None)
    assert answer.reason == (
        "the maturity level is 2, and only level 4 or higher may write new tools"
    )
    (event,) = door.told
    assert (event.kind, event.data["rule"]) == (EventKind.REFUSED, "level")
    assert event.text == f"solving: {answer.reason}"
    assert door.permissions.is_refused(run, build)
    assert not door.permissions.is_refused(await door.run(), build)
    assert not door.permissions.is_refused(run, SEND)  # it may be asked for


@pytest.mark.parametrize(("level", "rounds"), [(1, 1), (2, 3), (3, 5), (5, 10)])
async def test_how_often_a_run_may_act(door: Door, level: int, rounds: int) -> None:
    assert door.permissions.rounds_of(await door.run(level=level)) == rounds


async def test_with_nobody_there_the_question_is_kept_for_once(door: Door) -> None:
    first = await door.ask()
    assert not first.given
    assert first.approval_id is not None
    assert f"hammerstone approvals give {first.approval_id[:8]}, then ask again" in first.reason
    assert [event.kind for event in door.told] == [EventKind.APPROVAL_NEEDED, EventKind.REFUSED]
    kept = await door.desk.get(first.approval_id)
    assert kept.outlives_run
    assert kept.text.startswith("Allow send (version 2) to run?")
    assert "[name]" in kept.text and "bob" not in kept.text
    assert kept.action is not None
    assert kept.action["arguments"] == {"to": "[name]"}
    assert (kept.expires_at - kept.asked_at).total_seconds() == 86_400
    await door.desk.give(first.approval_id, who="eve")
    second = await door.ask()
    assert second == Permission(True, "eve allowed it", first.approval_id)
    assert not (await door.ask()).given  # once


@pytest.mark.parametrize(
    "other",
    [
        Action(ActionKind.WRITE, "send", 3, {"to": "bob"}, Effect.WRITES, reversible=False),
        Action(ActionKind.WRITE, "send", 2, {"to": "eve"}, Effect.WRITES, reversible=False),
        Action(ActionKind.WRITE, "post", 2, {"to": "bob"}, Effect.WRITES, reversible=False),
    ],
)
async def test_leave_for_one_action_says_nothing_about_another(door: Door, other: Action) -> None:
    first = await door.ask()
    assert first.approval_id is not None
    await door.desk.give(first.approval_id, who="ada")
    assert not (await door.ask(action=other)).given


@pytest.mark.parametrize(
    ("said", "given", "reason"),
    [(True, True, "you allowed it"), (ApprovalScope.ONCE, True, "you allowed it"),
     (False, False, "you did not allow it")],
)  # fmt: skip
async def test_who_is_at_the_door_decides(door: Door, said: Any, given: bool, reason: str) -> None:
    answer = await door.ask(said)
    assert (answer.given, answer.reason) == (given, reason)
    (shown,) = door.shown
    assert "bob" in shown.text  # who asked sees it as it is
    assert not shown.outlives_run
    assert len([event for event in door.told if event.kind is EventKind.REFUSED]) == int(not given)
    again = await door.ask("nobody")
    assert not again.given  # a yes at the door is used up at once


async def test_leave_for_the_session_holds_for_the_same_version(door: Door) -> None:
    first = await door.ask(ApprovalScope.SESSION)
    again = await door.ask()
    assert again == Permission(True, "allowed for this session", first.approval_id)
    newer = Action(ActionKind.WRITE, "send", 3, {}, Effect.WRITES, reversible=False)
    assert not (await door.ask(action=newer)).given


@pytest.mark.parametrize("said", [None, RuntimeError("the window was closed")])
async def test_a_door_without_an_answer_is_no_yes(door: Door, said: Any) -> None:
    answer = await door.ask(said)
    assert not answer.given
    assert "it needs your permission" in answer.reason
    assert answer.approval_id is not None
    assert (await door.desk.get(answer.approval_id)).outlives_run


async def test_nobody_decides_in_time(door: Door) -> None:
    await door.policies.change("approvals", {"wait_s": 0.05}, who="ada", why="test")
    answer = await door.ask("waits")
    assert not answer.given
    assert answer.reason.startswith("nobody allowed it in time")


async def test_somebody_elsewhere_may_decide(door: Door) -> None:
    await door.policies.change("approvals", {"look_every_s": 0.01}, who="ada", why="test")
    asking = asyncio.ensure_future(door.ask("waits"))
    while not door.shown:
        await asyncio.sleep(0.005)
    await door.desk.give(door.shown[0].id, who="eve")
    assert await asking == Permission(True, "eve allowed it", door.shown[0].id)


async def test_a_stopped_run_asks_nobody(door: Door) -> None:
    run = await door.run(True)
    await door.stop.stop("run", run.id, who="eve")
    with pytest.raises(Stopped):
        await door.permissions.request_permission(run, SEND)
    assert door.shown == []


QUESTION = Question(QuestionKind.CHOICE, "Which one, bob?", choices=("ten", "bob's"))


async def asked(
    door: Door, choice: int | None, *, now: bool = True
) -> QuestionReply | PendingQuestion:
    async def on_question(text: str, choices: tuple[str, ...]) -> int | None:
        assert (text, choices) == (QUESTION.text, QUESTION.choices)
        return choice

    run = make_run(contacts=Contacts(on_question=on_question), clock=door.clock)
    return await door.questions.ask(run, QUESTION, now=now)


async def test_a_question_is_answered_at_the_door(door: Door) -> None:
    reply = await asked(door, 1)
    assert isinstance(reply, QuestionReply)
    assert (reply.text, reply.choice) == ("bob's", 1)
    assert (await door.desk.get(reply.id)).answer == "[name]'s"
    assert await door.questions.open(make_run(clock=door.clock)) is None


@pytest.mark.parametrize(("choice", "now"), [(None, True), (1, False)])
async def test_a_question_that_nobody_answers_waits(
    door: Door, choice: int | None, now: bool
) -> None:
    waiting = await asked(door, choice, now=now)
    assert isinstance(waiting, PendingQuestion)
    assert waiting.question is QUESTION
    run = make_run(clock=door.clock)
    kept = await door.questions.open(run)
    assert kept is not None
    assert (kept.id, kept.text, kept.choices) == (
        waiting.id, "Which one, [name]?", ("ten", "[name]'s"),
    )  # fmt: skip
    assert kept.outlives_run


@pytest.mark.parametrize(
    ("text", "said", "choice"),
    [
        ("1", "ten", 0),
        (" 2 ", "[name]'s", 1),
        ("3", "3", None),
        ("0", "0", None),
        ("ten", "ten", 0),
        ("eleven", "eleven", None),
        ("-1", "-1", None),
    ],
)
async def test_a_number_or_the_words_choose(
    door: Door, text: str, said: str, choice: int | None
) -> None:
    await asked(door, None)
    run = make_run(clock=door.clock)
    kept = await door.questions.open(run)
    assert kept is not None
    reply = await door.questions.answer(run, kept, text)
    assert (reply.text, reply.choice, reply.id) == (said, choice, kept.id)
    assert await door.questions.open(run) is None
