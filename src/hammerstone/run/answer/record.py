"""A run's beginning and end in the database, each in one transaction."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hammerstone.core.answers import Answer, EventKind
from hammerstone.core.decisions import SearchDecision
from hammerstone.core.errors import (
    HammerstoneError,
    ModelMissing,
    ModelUnavailable,
    NotFound,
    SandboxLost,
    StorageError,
    TakenOver,
)
from hammerstone.core.formatting import shortened
from hammerstone.core.jobs import Job
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.run_record import RunRecord, SentPrompt, ToolVersion
from hammerstone.core.seams import Proofs
from hammerstone.core.version import VERSION
from hammerstone.core.wire import encode
from hammerstone.library.policies.trials import PROMPT
from hammerstone.library.search import Band
from hammerstone.prompts import fingerprint
from hammerstone.run.act.execute import ToolCalls, scrubbed
from hammerstone.run.act.results import ResultKeeper
from hammerstone.run.answer.earlier_feedback import RunTrail
from hammerstone.run.context import Run
from hammerstone.run.durable.holding import RunHolds
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.services import Records
from hammerstone.run.understand.session_files import GIVEN
from hammerstone.storage import RunRow, Stores
from hammerstone.storage.stores.runs.runs import RUNNING

_LAST_WORDS_S = 5.0
_AWAY = (ModelMissing, ModelUnavailable, SandboxLost)
_GONE = "unreachable"  # the reason of a `StorageError`


@dataclass(frozen=True, slots=True)
class LaterWork:
    """What a run leaves to later: itself while it is not done, then the proofs it owes."""

    holds: RunHolds
    proofs: Proofs


class RunRecorder:
    """The recorder of runs."""

    def __init__(
        self,
        records: Records,
        keeper: ResultKeeper,
        calls: ToolCalls,
        trail: RunTrail,
        later: LaterWork,
    ) -> None:
        self._records = records
        self._holds = later.holds
        self._proofs = later.proofs
        self._keeper = keeper
        self._calls = calls
        self._trail = trail

    async def claim_session(self, run: Run) -> None:
        """Take the name of a run's new session; raises `NotFound` if it is somebody else's."""
        async with self._records.db.transaction() as stores:
            await self._session(stores, run)

    async def start(self, run: Run) -> None:
        """Store and hold the run, before anything is spent on it: from now on it outlives this
        process. A run that was taken up again is stored and held already."""
        if run.ledger.hold is not None:
            return
        request, given = run.request, run.contacts.budget
        task = await asyncio.to_thread(RunTask.of, request, given, self._records)
        async with self._records.db.transaction() as stores:
            await self._start(stores, run)
            job = await self._holds.take(stores, run, task)
            await stores.artifacts.add([file for file in run.ledger.files if file[0].step == GIVEN])
        await self._holds.begin(run, job)

    async def resume(self, run: Run) -> None:
        """What a run that was begun before has said and paid for so far, and when it was asked:
        what its session got later is not what its words mean."""
        row = await self._records.db.runs.find(run.id)
        run.ledger.asked_at = row.started_at if row is not None else None
        run.emitter.go_on_after(await self._records.db.events.of_run(run.id))
        if run.contacts.job is not None:
            await self._holds.begin(run, run.contacts.job)

    async def take_back(self, run_id: str, held: Job | None, error: StorageError) -> Job | None:
        """The job of a run that was broken off because the database was away, once that is back;
        None if the run has to end here. `held` is the run's, if it was held before it began."""
        if error.data.get("reason") != _GONE:
            return None
        return await self._holds.take_back(run_id, held)

    def loss(self, run: Run) -> TakenOver | None:
        """The error of a run that is another process's by now; None for all others."""
        hold = run.ledger.hold
        if hold is None or not hold.lost:
            return None
        return TakenOver("another process has taken this run over", hint="it goes on there")

    async def finish(self, run: Run, answer: Answer) -> None:
        """Record messages, events, values, files and the answer; a run that never started is
        started first."""
        events = run.emitter.take()
        async with self._records.db.transaction() as stores:
            if run.ledger.start is None or not run.ledger.start.begun:
                await self._start(stores, run)
            session = run.request.session_id
            records = self._records
            # The scrubber takes a session's id for a key; ours opens nothing by itself.
            document = {**records.clean(answer.to_json()), "session_id": session}
            asked, said = records.clean_text(run.request.text), str(document["text"])
            named: list[Json] = [path.name for path in run.request.files]
            given = records.clean({"files": named}) if named else None
            await stores.messages.append(session, "user", asked, given)
            await stores.messages.append(session, "assistant", said, document)
            if run.request.memory and run.request.personal:
                user = run.request.user
                await stores.memory.add(run.id, user, session, asked, said, str(answer.status))
            await stores.events.append(events)
            for execution in run.ledger.executions:
                await stores.executions.add(scrubbed(self._records, execution))
            await stores.values.add([self._keeper.storable(value) for value in run.ledger.values])
            await stores.artifacts.add(run.ledger.files)
            await stores.feedback.append(self._trail.events(run, answer))
            await stores.decisions.append(self._decisions(run))
            record = final_record(run, answer).to_json()
            await stores.runs.finish(
                run.id, str(answer.status), document, records.clock.now(), record
            )
            for task in run.ledger.proofs:
                await self._proofs.put(task, stores.jobs)
            await self._holds.end(stores, run)
        self._holds.forget(run)

    def _decisions(self, run: Run) -> list[SearchDecision]:
        """What search decided in the run, as it may be stored."""
        request, now = run.request, self._records.clock.now()
        return [
            SearchDecision(
                id=f"{run.id}-{number}",
                run_id=run.id,
                session_id=request.session_id,
                user=request.user,
                at=now,
                request=self._records.clean_text(seen.text),
                chosen=seen.hits[0].name if seen.hits else "",
                band=str(seen.fit.band if seen.fit else Band.LOW),
                probability=seen.fit.probability if seen.fit else 0.0,
                candidates=tuple(hit.candidate for hit in seen.hits),
                weights=seen.weights,
            )
            for number, seen in enumerate(run.ledger.decisions)
        ]

    async def repeat(self, run: Run, answer: Answer) -> None:
        """Record a repeated answer like the one it repeats: later requests may refer to it."""
        for made in run.ledger.made:
            await self._calls.record_again(run, made)
        about = run.request.text
        if run.ledger.made:
            last = run.ledger.made[-1]
            self._keeper.keep_value(run, last.tool, last.value, run.ledger.calls, about)
        elif answer.result is not None:
            value, number = encode(answer.result), run.ledger.next_call()
            self._keeper.keep_value(run, answer.tool or "answer", value, number, about)
        await self.finish(run, answer)

    async def abandon(self, run: Run, error: BaseException) -> None:
        """Keep what is known of a run that ends by an error; it must not hide the error.

        A run that goes on elsewhere, now or later, has not ended.
        """
        stopped = isinstance(error, asyncio.CancelledError)
        if await self._goes_on(run, error, stopped):
            return
        status = "cancelled" if stopped else "failed"
        text = "stopped" if stopped else str(error)
        if isinstance(error, Exception) and not isinstance(error, HammerstoneError):
            text = f"an internal error stopped it ({type(error).__name__})"
        if run.ledger.wrote:
            text += ". Already changed, and not undone: " + "; ".join(run.ledger.wrote)

        async def write() -> None:
            await self._opened(run)
            for execution in run.ledger.executions:
                await self._records.db.executions.add(scrubbed(self._records, execution))
            if stopped:
                await self._records.db.feedback.append(self._trail.events(run, None))
            await run.say(EventKind.FAILED, text)
            await run.emitter.flush()
            try:
                said: JsonObject = {"text": self._records.clean_text(text)}
                record, now = final_record(run, None).to_json(), self._records.clock.now()
                async with self._records.db.transaction() as stores:
                    await stores.runs.finish(run.id, status, said, now, record)
                    await self._holds.end(stores, run, keep_paid=not stopped)
            except (NotFound, TakenOver):
                return

        try:
            await _last_words(write())
        finally:  # also where nothing can be written: then it is continued by somebody else
            self._holds.forget(run)

    async def _goes_on(self, run: Run, error: BaseException, stopped: bool) -> bool:
        """Whether a run that is broken off here goes on, elsewhere or later."""
        holds = self._holds
        if isinstance(error, TakenOver) or (run.ledger.hold is not None and run.ledger.hold.lost):
            holds.forget(run)
            return True
        if stopped and holds.leaving and run.ledger.hold is None:
            await _last_words(self._held(run))  # it had paid for nothing, but it was asked
        if run.ledger.hold is None:
            return False
        # A person is told that a model is away; a run without one waits until it is back.
        alone = run.contacts.job is not None and run.contacts.on_accepted is None
        waits = alone and isinstance(error, _AWAY)
        if waits or (stopped and holds.leaving):
            await _last_words(self._left(run, 0.0 if stopped else holds.policy.away_s))
            return True
        if isinstance(error, StorageError) and error.data.get("reason") == _GONE:
            holds.set_aside(run)
            return True
        return False

    async def _held(self, run: Run) -> None:
        """Store and hold a run that is broken off before it came to that, or in the middle."""
        start = run.ledger.start
        await (self.start(run) if start is None else start.begin())

    async def _left(self, run: Run, pause_s: float) -> None:
        with suppress(StorageError):
            await run.emitter.flush()
        await self._holds.leave(run, pause_s=pause_s)

    async def _opened(self, run: Run) -> None:
        """A run that ends before it was stored gets its row, and no job."""
        with suppress(Exception):
            if run.ledger.start is None or not run.ledger.start.begun:
                async with self._records.db.transaction() as stores:
                    await self._start(stores, run)
            else:
                await run.ready()

    async def _session(self, stores: Stores, run: Run) -> None:
        request = run.request
        title = shortened(self._records.clean_text(request.text), 80)
        session = await stores.sessions.create(request.user, request.session_id, title)
        if session.user != request.user:  # somebody else was quicker to take the name
            raise NotFound(
                "there is no such session", hint="leave out --session to begin a new one"
            )

    async def _start(self, stores: Stores, run: Run) -> None:
        request = run.request
        text = self._records.clean_text(request.text)
        if run.seen.owner is None:
            await self._session(stores, run)
        begun = RunRow(
            id=run.id,
            session_id=request.session_id,
            user=request.user,
            request=text,
            trace_id=run.trace_id,
            status=RUNNING,
            answer=None,
            started_at=self._records.clock.now(),
            record=run.record.to_json(),
        )
        await stores.runs.open(begun)


def final_record(run: Run, answer: Answer | None) -> RunRecord:
    """What the run was done with, up to now; without an answer it was broken off."""
    ledger, known = run.ledger, run.record
    called = [ToolVersion(tool.name, tool.version.id) for tool, _ok in ledger.used]
    called += [ToolVersion(made.tool, made.version_id) for made in ledger.made]
    cost = answer.cost if answer else run.cost()
    return replace(
        known,
        release=_release(),
        kind=str(ledger.kind),
        strategy=answer.strategy if answer else "",
        models=tuple(ledger.models),
        prompts={
            name: SentPrompt(
                template.version, known.policies.get(PROMPT + name, 0), fingerprint(template)
            )
            for name, template in ledger.prompts.items()
        },
        tools=tuple(dict.fromkeys(called)),
        cached=answer.cached if answer else False,
        tokens=cost.tokens,
        model_calls=cost.model_calls,
        usd=cost.usd,
        seconds=round(cost.seconds, 6),
    )


@cache
def _release() -> str:
    return VERSION


async def _last_words(writing: Coroutine[Any, Any, None]) -> None:
    """Write what is left to say, but not for long, and whatever happens."""
    try:
        await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(writing)), _LAST_WORDS_S)
    except (Exception, asyncio.CancelledError):
        return
