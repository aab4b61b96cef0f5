"""A run's beginning and end in the database, each in one transaction."""

import asyncio
from contextlib import suppress

from hammerstone.core.answers import Answer, EventKind
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.run.act.execute import scrubbed
from hammerstone.run.act.results import storable
from hammerstone.run.context import Run
from hammerstone.storage import Stores

_LAST_WORDS_S = 5.0


async def start(run: Run) -> None:
    """Record that the run began, before anything is spent on it."""
    async with run.parts.db.transaction() as stores:
        await _start(stores, run)


async def finish(run: Run, answer: Answer) -> None:
    """Record messages, events, values, files and the answer; a run that never started is
    started first."""
    events = run.emitter.take()
    async with run.parts.db.transaction() as stores:
        if run.starting is None:
            await _start(stores, run)
        session = run.request.session_id
        parts = run.parts
        # The scrubber takes a session's id for a key; ours opens nothing by itself.
        document = {**parts.clean(answer.to_json()), "session_id": session}
        asked, said = parts.clean_text(run.request.text), str(document["text"])
        await stores.messages.append(session, "user", asked, None)
        await stores.messages.append(session, "assistant", said, document)
        if run.request.memory:
            user = run.request.user
            await stores.memory.add(run.id, user, session, asked, said, str(answer.status))
        await stores.events.append(events)
        for execution in run.ledger.executions:
            await stores.executions.add(scrubbed(run, execution))
        await stores.values.add([storable(run, value) for value in run.ledger.values])
        await stores.artifacts.add(run.ledger.files)
        await stores.runs.finish(run.id, str(answer.status), document, run.parts.clock.now())


async def abandon(run: Run, error: BaseException) -> None:
    """Keep what is known of a run that ends by an error; it must not hide the error."""
    stopped = isinstance(error, asyncio.CancelledError)
    status = "cancelled" if stopped else "failed"
    text = "stopped" if stopped else str(error)
    if isinstance(error, Exception) and not isinstance(error, HammerstoneError):
        text = f"something went wrong inside ({type(error).__name__})"
    if run.ledger.wrote:
        text += ". Changed already and not undone: " + "; ".join(run.ledger.wrote)

    async def write() -> None:
        with suppress(Exception):
            await run.ready()
        for execution in run.ledger.executions:
            await run.parts.db.executions.add(scrubbed(run, execution))
        await run.say(EventKind.FAILED, text)
        await run.emitter.flush()
        try:
            said: JsonObject = {"text": run.parts.clean_text(text)}
            await run.parts.db.runs.finish(run.id, status, said, run.parts.clock.now())
        except NotFound:
            return

    try:
        await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(write())), _LAST_WORDS_S)
    except (Exception, asyncio.CancelledError):
        return


async def _start(stores: Stores, run: Run) -> None:
    request = run.request
    text = run.parts.clean_text(request.text)
    if run.seen.owner is None:
        session = await stores.sessions.create(request.user, request.session_id, text[:80])
        if session.user != request.user:  # somebody else was quicker to take the name
            raise NotFound("there is no such session", hint="leave --session out")
    await stores.runs.start(
        run.id, request.session_id, request.user, text, run.trace_id, run.parts.clock.now()
    )
