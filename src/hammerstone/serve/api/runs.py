"""Runs that go on whoever watches: a page may be reloaded, opened twice, or lose its line.

Every step of a run is a numbered message. A watcher says which number it has seen last and gets
the rest, then what follows. Questions and approvals wait for whoever answers first.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.proofs.progress import ProofProgress
from hammerstone.app.queue.waking import GoOn
from hammerstone.core.answers import Answer, Event
from hammerstone.core.approvals import Approval, ApprovalScope
from hammerstone.core.errors import BadRequest, HammerstoneError, NotFound, Stopped
from hammerstone.core.jobs import Job
from hammerstone.core.people import Caller, Right
from hammerstone.run.context import Contacts
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.request import AskOptions
from hammerstone.serve.api.bodies import approval_document, error_document, event_document
from hammerstone.storage.stores.runs.runs import RUNNING

_ANSWER_WITHIN_S = 300.0
_KEEP_FINISHED_S = 600.0
_MOST_FINISHED = 500
_LOOK_S = 0.5  # how often a run of another process is looked at

Message = dict[str, Any]
Watching = Callable[[Message, str], Awaitable[None]]
"""Gets a message that belongs to no request under way, and whose it is."""


class RunOptions(TypedDict, total=False):
    """How a run is done. `run_id`: chosen by whoever asks; `fresh`: without an answer that was
    given before; `model`: by this one of the configured models."""

    run_id: str | None
    session: str | None
    files: Sequence[Path]
    fresh: bool
    model: str | None


@dataclass(frozen=True, slots=True)
class _PendingReply:
    kind: str  # question or approval
    waiting: "asyncio.Future[Any]"


class LiveRun:
    """One run of this process, with everything it has said so far."""

    def __init__(self, run_id: str, caller: Caller, session_id: str, text: str) -> None:
        self.id = run_id
        self.caller = caller
        self.user = caller.name
        self.session_id = session_id
        self.text = text
        self.files: tuple[str, ...] = ()
        self.messages: list[Message] = []
        self._began_s = time.monotonic()
        self.finished_s: float | None = None
        self.error: HammerstoneError | None = None
        self.accepted = asyncio.Event()  # it outlives this process, or has ended
        self.task: asyncio.Task[Any] | None = None
        self._news = asyncio.Event()
        self._waiting: dict[str, _PendingReply] = {}
        self.again = False  # True: begun by another process; what that one said comes first

    @property
    def done(self) -> bool:
        return self.finished_s is not None

    @property
    def elapsed_s(self) -> float:
        """How long it has been going on, or went on."""
        end = self.finished_s if self.finished_s is not None else time.monotonic()
        return end - self._began_s

    def say(self, message: Message) -> None:
        self.messages.append({**message, "run_id": self.id, "number": len(self.messages)})
        if message["type"] == "query_complete":
            self.finished_s = time.monotonic()
            self.accepted.set()
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def follow(self, after: int = -1) -> AsyncIterator[Message]:
        """What was said after message number `after`, and what is said from now on."""
        at = max(0, after + 1)
        while True:
            news = self._news
            while at < len(self.messages):
                yield self.messages[at]
                at += 1
            if self.done:
                return
            await news.wait()

    async def ask(self, message: Message) -> Any:
        """Say something that needs an answer, and wait for it; None when nobody answers."""
        id = str(message["id"])
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[id] = _PendingReply(str(message["type"]), waiting)
        self.say(message)
        try:
            return await asyncio.wait_for(waiting, _ANSWER_WITHIN_S)
        except TimeoutError:
            return None
        finally:
            del self._waiting[id]
            self.say({"type": "answered", "id": id})

    def approve(self, given: Any, id: Any) -> None:
        """Say yes or no to one approval, by its id: never to whichever comes next.

        Raises `Refused` for whoever may allow nothing.
        """
        if not isinstance(given, bool):
            raise BadRequest("`approve` is true or false")
        if not id:
            raise BadRequest("which approval? `id` is missing", hint="it is in what was asked")
        if given:
            self.caller.require(Right.BUILD, "allow actions")
        self._answer("approval", given, str(id))

    def choose(self, choice: Any, id: Any = None) -> None:
        """Answer a question; without its id the only one that waits."""
        open_ones = [one for one, asked in self._waiting.items() if asked.kind == "question"]
        known = str(id) if id else open_ones[0] if len(open_ones) == 1 else ""
        self._answer("question", choice, known)

    def _answer(self, kind: str, value: Any, id: str) -> None:
        asked = self._waiting.get(id)
        if asked is None or asked.kind != kind or asked.waiting.done():
            hint = "it may have been given already"
            raise BadRequest("this run does not wait for that answer", hint=hint)
        asked.waiting.set_result(value)


class LiveRuns:
    """The runs of this process."""

    def __init__(self, hs: Hammerstone) -> None:
        self._hs = hs
        self._runs: dict[str, LiveRun] = {}
        self._leaving = False
        self.watchers: set[Watching] = set()

    async def hear(self, event: Event, user: str) -> None:
        """An event that came after its run's end: kept with it, and shown to who is there."""
        message: Message = {"type": "agent_event", "event": event_document(event)}
        message |= {"run_id": event.run_id, "number": event.number}
        run = self.find(event.run_id, user)
        if run is not None:
            run.say(message)
            message = run.messages[-1]
        await self._tell(message, user)

    async def show_progress(self, progress: ProofProgress) -> None:
        """How far the proof behind an answer is: shown to who is there, and not kept."""
        await self._tell({"type": "proof_progress", **progress.to_json()}, progress.user)

    async def announce(self, user: str, session_id: str, change: str, **more: Any) -> None:
        """Tell every page of a person that one of their sessions is another one now: a request
        `started` in it, or it was `renamed`, `deleted`, `judged` or something `decided`."""
        changed: Message = {"type": "session_changed", "session_id": session_id, "change": change}
        await self._tell({**changed, **more}, user)

    async def _tell(self, message: Message, user: str) -> None:
        for watching in [*self.watchers]:
            await watching(message, user)

    def start(self, text: str, *, caller: Caller, **more: Unpack[RunOptions]) -> LiveRun:
        """A new run of a person's text, in the session that is named or in a new one; the one
        that is there already where its id was sent before."""
        self._forget()
        files, run_id = more.get("files", ()), more.get("run_id") or uuid.uuid4().hex
        if (known := self.find(run_id, caller.name)) is not None:
            return known
        run = LiveRun(run_id, caller, more.get("session") or uuid.uuid4().hex, text)
        run.files = tuple(path.name for path in files)
        self._runs[run.id] = run
        options = AskOptions(
            run.user,
            run.id,
            keep=caller.may(Right.BUILD),
            fresh=more.get("fresh", False),
            model=more.get("model"),
            on_accepted=run.accepted.set,
        )
        run.task = asyncio.create_task(self._answer(run, files, options))
        return run

    async def is_known(self, run_id: str, user: str) -> bool:
        """Whether there is this run, here or stored. Raises `BadRequest` for another person's."""
        if self.find(run_id, user) is not None:
            return True
        owner = await self._hs.sessions.owner_of_run(run_id)
        if owner not in (None, user):
            raise BadRequest("this `run_id` is taken", hint="choose another one")
        return owner is not None

    def get(self, run_id: str, user: str) -> LiveRun:
        """The run, if it is this person's; raises `NotFound`."""
        run = self._runs.get(run_id)
        if run is None or run.user != user:
            raise NotFound("there is no such run here", hint="finished runs: /api/runs/{id}")
        return run

    def find(self, run_id: str, user: str) -> LiveRun | None:
        run = self._runs.get(run_id)
        return run if run is not None and run.user == user else None

    def of(self, user: str) -> list[LiveRun]:
        return [run for run in self._runs.values() if run.user == user]

    async def cancel(self, run: LiveRun) -> None:
        if run.task is not None and not run.task.done():
            run.task.cancel()
            await asyncio.gather(run.task, return_exceptions=True)

    async def close(self) -> None:
        """The server ends: what is under way goes on when it is started again."""
        self._leaving = True
        self._hs.leave_runs()
        tasks = [run.task for run in self._runs.values() if run.task and not run.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self) -> None:
        finished = [run for run in self._runs.values() if run.finished_s is not None]
        finished.sort(key=lambda run: run.finished_s or 0.0)
        now = time.monotonic()
        for number, run in enumerate(finished):
            old = now - (run.finished_s or now) > _KEEP_FINISHED_S
            if old or len(finished) - number > _MOST_FINISHED:
                del self._runs[run.id]

    async def take_up(self, job: Job, task: RunTask, go_on: GoOn) -> Answer:
        """A run that another process began goes on here, shown with all it has said so far."""
        caller = await self._hs.people.by_name(task.user)
        if caller is None:
            await self._hs.waking.give_up(job, "its person has no access any more")
            raise NotFound(f"{task.user} has no access any more")
        run = LiveRun(job.key, caller, job.askers[0].session_id, task.text)
        run.again = True
        run.files = tuple(file.name for file in task.files)
        run.accepted.set()
        _, said = await self._hs.sessions.run(run.id, run.user)
        for event in said:
            run.say({"type": "agent_event", "event": event_document(event)})
        self._runs[run.id] = run
        run.task = asyncio.ensure_future(self._told(run, lambda: go_on(_contacts(run))))
        await asyncio.wait({run.task})
        if run.task.cancelled():  # by a person; whoever takes runs up goes on
            raise Stopped("this run was stopped", scope="run", target=run.id)
        return run.task.result()

    async def follow_stored(self, run_id: str, user: str, after: int) -> AsyncIterator[Message]:
        """What a run of another process, or of an earlier time, says after an event's number."""
        while True:
            row, said = await self._hs.sessions.run(run_id, user)
            for event in said:
                if event.number > after:
                    after = event.number
                    told = {"type": "agent_event", "event": event_document(event)}
                    yield {**told, "run_id": run_id, "number": event.number}
            if row.status != RUNNING:
                break
            await asyncio.sleep(_LOOK_S)
        answer = row.answer if isinstance(row.answer, dict) else {}
        ended: Message = {"type": "query_complete", "run_id": run_id, "number": after + 1}
        if "cost" in answer:
            yield {**ended, "answer": answer}
        else:
            error = HammerstoneError(str(answer.get("text") or row.status), hint="ask again")
            yield {**ended, **error_document(error)}

    async def _answer(self, run: LiveRun, files: Sequence[Path], options: AskOptions) -> None:
        await self.announce(run.user, run.session_id, "started", run_id=run.id)
        said = _contacts(run)
        asking = replace(options, on_question=said.on_question, on_approval=said.on_approval)

        async def ask() -> Answer:
            return await self._hs.ask(
                run.text,
                files=files,
                session=run.session_id,
                on_event=said.on_event,
                options=asking,
            )

        with suppress(Exception):  # it was told
            await self._told(run, ask)

    async def _told(self, run: LiveRun, answering: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer, and whoever watches hears of it, or that none will come."""
        try:
            answer = await answering()
        except HammerstoneError as error:
            run.error = error
            run.say({"type": "query_complete", **error_document(error)})
            raise
        except asyncio.CancelledError:
            stopped = {"code": "cancelled", "message": "stopped", "hint": ""}
            if not self._leaving:  # else it goes on: who watches it asks the next server
                run.say({"type": "query_complete", "error": stopped})
            raise
        except Exception as error:
            logging.getLogger("hammerstone.serve").error("a request failed", exc_info=error)
            wrong = HammerstoneError("something went wrong inside", hint="ask again")
            run.say({"type": "query_complete", **error_document(wrong)})
            raise
        run.say({"type": "query_complete", "answer": answer.to_json()})
        return answer


def _contacts(run: LiveRun) -> Contacts:
    """Shows what happens to whoever watches the run, and asks them."""

    async def show(event: Event) -> None:
        run.say({"type": "agent_event", "event": event_document(event)})

    async def choose(text: str, choices: tuple[str, ...]) -> int | None:
        said: Message = {"type": "question", "id": uuid.uuid4().hex, "text": text}
        chosen = await run.ask({**said, "choices": list(choices)})
        valid = type(chosen) is int and 0 <= chosen < len(choices)
        return chosen if valid else None

    async def permit(asked: Approval) -> bool | ApprovalScope | None:
        given = await run.ask({**approval_document(asked), "type": "approval"})
        return given if isinstance(given, bool) else None

    return Contacts(show, choose, permit)
