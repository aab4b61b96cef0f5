"""A run's beginning and end in the database, each in one transaction."""

import asyncio
from contextlib import suppress

from hammerstone.core.answers import Answer, EventKind
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.formatting import shortened
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.wire import encode
from hammerstone.run.act.execute import ToolCalls, scrubbed
from hammerstone.run.act.results import ResultKeeper
from hammerstone.run.answer.earlier_feedback import RunTrail
from hammerstone.run.answer.run_notes import final_record
from hammerstone.run.context import Run
from hammerstone.run.services import Records
from hammerstone.storage import RunRow, Stores
from hammerstone.storage.requests.runs import RUNNING

_LAST_WORDS_S = 5.0


class RunRecorder:
    """Records runs."""

    def __init__(
        self, records: Records, keeper: ResultKeeper, calls: ToolCalls, trail: RunTrail
    ) -> None:
        self._records = records
        self._keeper = keeper
        self._calls = calls
        self._trail = trail

    async def start(self, run: Run) -> None:
        """Record that the run began, before anything is spent on it."""
        async with self._records.db.transaction() as stores:
            await self._start(stores, run)

    async def finish(self, run: Run, answer: Answer) -> None:
        """Record messages, events, values, files and the answer; a run that never started is
        started first."""
        events = run.emitter.take()
        async with self._records.db.transaction() as stores:
            if run.ledger.starting is None:
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
            record = final_record(run, answer).to_json()
            await stores.runs.finish(
                run.id, str(answer.status), document, records.clock.now(), record
            )

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
        """Keep what is known of a run that ends by an error; it must not hide the error."""
        stopped = isinstance(error, asyncio.CancelledError)
        status = "cancelled" if stopped else "failed"
        text = "stopped" if stopped else str(error)
        if isinstance(error, Exception) and not isinstance(error, HammerstoneError):
            text = f"an internal error stopped it ({type(error).__name__})"
        if run.ledger.wrote:
            text += ". Already changed, and not undone: " + "; ".join(run.ledger.wrote)

        async def write() -> None:
            with suppress(Exception):
                await run.ready()
            for execution in run.ledger.executions:
                await self._records.db.executions.add(scrubbed(self._records, execution))
            if stopped:
                await self._records.db.feedback.append(self._trail.events(run, None))
            await run.say(EventKind.FAILED, text)
            await run.emitter.flush()
            try:
                said: JsonObject = {"text": self._records.clean_text(text)}
                record, now = final_record(run, None).to_json(), self._records.clock.now()
                await self._records.db.runs.finish(run.id, status, said, now, record)
            except NotFound:
                return

        try:
            await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(write())), _LAST_WORDS_S)
        except (Exception, asyncio.CancelledError):
            return

    async def _start(self, stores: Stores, run: Run) -> None:
        request = run.request
        text = self._records.clean_text(request.text)
        if run.seen.owner is None:
            session = await stores.sessions.create(
                request.user, request.session_id, shortened(text, 80)
            )
            if session.user != request.user:  # somebody else was quicker to take the name
                raise NotFound(
                    "there is no such session", hint="leave out --session to begin a new one"
                )
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
