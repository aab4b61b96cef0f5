"""A run's beginning and end as they are recorded, and what is kept of one that breaks off."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Answer, AnswerStatus, Event, EventKind
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.feedback import FeedbackKind
from hammerstone.library.policies import Policies
from hammerstone.run.answer.earlier_feedback import RunTrail
from hammerstone.run.answer.record import LaterWork, RunRecorder
from hammerstone.run.context import Emitter, Run, RunStart, SuccessfulCall, ToolUse
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.services import Records
from hammerstone.storage import Execution
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import NOW, make_run, session_value


def without_bob(value: Any) -> Any:
    """A scrubber that knows one name."""
    if isinstance(value, str):
        return value.replace("bob", "[name]")
    if isinstance(value, dict):
        return {key: without_bob(item) for key, item in value.items()}
    return value


class Holds:
    """Notes which runs are stored to be taken up again, and which are not any more."""

    leaving = False

    def __init__(self, book: "Book") -> None:
        self._book = book

    async def take(self, stores: Any, run: Run, task: RunTask) -> str:
        self._book.written.append(("hold", task))
        return "job"

    async def begin(self, run: Run, job: str) -> None:
        self._book.written.append(("held", job))

    async def end(self, stores: Any, run: Run, *, keep_paid: bool = False) -> None:
        self._book.written.append(("ended", keep_paid))

    def forget(self, run: Run) -> None:
        self._book.written.append(("forgotten", run.id))


class Book:
    """Every store at once: notes what is written, in order."""

    def __init__(self, *, owner: str = "ada") -> None:
        self.written: list[tuple[str, Any]] = []
        self.again: list[SuccessfulCall] = []
        self._owner = owner
        names = ("messages", "memory", "events", "executions", "values", "artifacts",
                 "feedback", "decisions")  # fmt: skip
        for name in (*names, "sessions", "runs"):
            setattr(self, name, self._store(name))

    def _store(self, name: str) -> Any:
        async def note(*what: Any) -> Any:
            self.written.append((name, what))
            if name == "sessions":
                return SimpleNamespace(user=self._owner)
            return None

        async def finish(*what: Any) -> None:
            self.written.append(("finish", what))

        return SimpleNamespace(append=note, add=note, create=note, open=note, finish=finish)

    @asynccontextmanager
    async def transaction(self) -> Any:
        yield self

    def storable(self, value: Any) -> Any:
        return value

    def keep_value(self, run: Run, tool: str, value: Any, number: int, about: str) -> None:
        run.ledger.values.append(session_value(value, tool=tool, step=number, about=about))

    async def record_again(self, run: Run, made: SuccessfulCall) -> None:
        self.again.append(made)
        run.ledger.next_call()

    @property
    def recorder(self) -> RunRecorder:
        me = cast(Any, self)
        records = Records(me, HandClock(), cast(Any, None), without_bob)
        later = LaterWork(cast(Any, Holds(self)), me)
        return RunRecorder(records, me, me, RunTrail(records, Policies(me)), later)

    def take_events_of(self, run: Run) -> None:
        """The run's events are scrubbed and written here as well."""
        records = self.recorder._records
        run.emitter = Emitter(run.id, "s1", records, run.emitter._on_event)

    def of(self, name: str) -> list[Any]:
        return [what for store, what in self.written if store == name]


async def test_a_first_run_begins_with_its_session() -> None:
    book = Book()
    run = make_run("ask bob " + "x" * 100)
    await book.recorder.start(run)
    ((user, session, title),) = book.of("sessions")
    assert (user, session, title) == ("ada", "s1", ("ask [name] " + "x" * 100)[:79] + "…")
    ((begun,),) = book.of("runs")
    assert (begun.id, begun.session_id, begun.user, begun.trace_id) == ("run1", "s1", "ada", "t1")
    assert begun.request.startswith("ask [name]") and begun.status == "running"


async def test_a_session_with_a_past_is_not_made_again() -> None:
    book = Book()
    await book.recorder.start(make_run(owner="ada"))
    assert (book.of("sessions"), len(book.of("runs"))) == ([], 1)


async def test_a_name_that_somebody_else_took_is_told() -> None:
    with pytest.raises(NotFound, match="there is no such session"):
        await Book(owner="eve").recorder.start(make_run())


def execution(error: str = "") -> Execution:
    return Execution("e", "run1", "s1", 1, "double", "v", {"to": "bob"}, "bob", True, NOW,
                     error=error)  # fmt: skip


async def test_an_answer_is_recorded_without_what_is_private() -> None:
    book = Book()
    run = make_run("mail bob")
    book.take_events_of(run)
    run.ledger.executions.append(execution("bob"))
    run.ledger.values.append(session_value(5))
    run.ledger.uses.append(ToolUse("to bob", "double", "v", agrees=True))
    run.ledger.words = "key"
    await run.say(EventKind.DONE, "sent to bob", to="bob")
    await book.recorder.finish(run, Answer("sent to bob", "bob"))
    asked, said = book.of("messages")
    assert asked == ("s1", "user", "mail [name]", None)
    assert said[:3] == ("s1", "assistant", "sent to [name]")
    assert (said[3]["result"], said[3]["session_id"]) == ("[name]", "s1")
    assert book.of("memory") == [("run1", "ada", "s1", "mail [name]", "sent to [name]", "done")]
    ((events,),) = book.of("events")
    assert [(event.text, event.data) for event in events] == [("sent to [name]", {"to": "[name]"})]
    ((row,),) = book.of("executions")
    assert (row.arguments, row.result, row.error) == ({"to": "[name]"}, "[name]", "[name]")
    ((values,),) = book.of("values")
    assert [value.value for value in values] == [5]
    ((used, agreed),) = [what for (what,) in book.of("feedback")]
    assert (used.kind, agreed.kind) == (FeedbackKind.USED, FeedbackKind.AGREED)
    assert (used.reliability, agreed.reliability) == (0.0, 0.8)
    for event in (used, agreed):
        assert (event.run_id, event.session_id, event.user) == ("run1", "s1", "ada")
        assert (event.tool, event.version_id, event.words) == ("double", "v", "key")
        assert (event.request, event.result) == ("to [name]", "[name]")
    ((run_id, status, document, _, record),) = book.of("finish")
    assert record["kind"] == "calculation" and record["tools"] == []
    assert (run_id, status, document["text"]) == ("run1", "done", "sent to [name]")
    assert len(book.of("runs")) == 1  # it had never been started


async def test_a_run_that_was_started_is_not_started_again() -> None:
    book = Book()
    run = make_run(memory=False)
    run.ledger.start = RunStart(partial(asyncio.sleep, 0), 60)
    await run.ready()
    await book.recorder.finish(run, Answer("no", status=AnswerStatus.FAILED))
    assert (book.of("runs"), book.of("memory")) == ([], [])
    assert book.of("finish")[0][1] == "failed"


async def test_a_repeated_answer_is_recorded_like_the_first() -> None:
    book, run = Book(), make_run("double 5")
    made = [SuccessfulCall("half", "v", {"n": 8}, 4), SuccessfulCall("double", "v", {"n": 5}, 10)]
    run.ledger.made += made
    await book.recorder.repeat(run, Answer("10", 10))
    assert book.again == made
    (value,) = run.ledger.values
    assert (value.tool, value.value, value.step, value.about) == ("double", 10, 2, "double 5")
    assert len(book.of("finish")) == 1


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (Answer("10", 10, tool="double"), [("double", 10, 1)]),
        (Answer("10", 10), [("answer", 10, 1)]),
        (Answer("hello"), []),
    ],
)
async def test_a_repeated_answer_without_calls_keeps_its_result(
    answer: Answer, kept: list[tuple[str, Any, int]]
) -> None:
    book, run = Book(), make_run()
    await book.recorder.repeat(run, answer)
    assert [(one.tool, one.value, one.step) for one in run.ledger.values] == kept


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (asyncio.CancelledError(), "cancelled", "stopped"),
        (BadRequest("no bob"), "failed", "no bob"),
        (ValueError("inner bob"), "failed", "an internal error stopped it (ValueError)"),
    ],
)
async def test_what_is_kept_of_a_run_that_breaks_off(
    error: BaseException, status: str, text: str
) -> None:
    told: list[Event] = []
    book, run = Book(), make_run(told=told)
    book.take_events_of(run)
    run.ledger.executions.append(execution())
    run.ledger.made.append(SuccessfulCall("double", "v", {"n": 5}, 10))
    await book.recorder.abandon(run, error)
    assert [(event.kind, event.text) for event in told] == [(EventKind.FAILED, text)]
    assert len(book.of("executions")) == len(book.of("events")) == 1
    ((run_id, kept, document, _, record),) = book.of("finish")
    assert record["tools"] == [{"name": "double", "version_id": "v"}]
    assert (run_id, kept, document) == ("run1", status, {"text": without_bob(text)})
    left = [(each.kind, each.tool) for (events,) in book.of("feedback") for each in events]
    stopped = status == "cancelled"  # by the person, which may say something about the tool
    assert left == ([(FeedbackKind.ABANDONED, "double")] if stopped else [])


async def test_what_was_changed_for_good_is_told_when_a_run_breaks_off() -> None:
    told: list[Event] = []
    book, run = Book(), make_run(told=told)
    book.take_events_of(run)
    run.ledger.wrote += ["sent a mail", "moved a file"]
    await book.recorder.abandon(run, BadRequest("no"))
    assert told[0].text == "no. Already changed, and not undone: sent a mail; moved a file"
