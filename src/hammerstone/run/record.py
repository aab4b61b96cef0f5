"""A run's beginning and end in the database, each in one transaction."""

from hammerstone.core.answers import Answer
from hammerstone.run.context import Run
from hammerstone.storage import Stores


async def start(run: Run) -> None:
    """Record that the run began, before anything is spent on it."""
    async with run.parts.db.transaction() as stores:
        await _start(stores, run)


async def finish(run: Run, answer: Answer) -> None:
    """Record messages, events and the answer; a run that never started is started first."""
    events = run.emitter.take()
    async with run.parts.db.transaction() as stores:
        if await stores.runs.find(run.id) is None:
            await _start(stores, run)
        session = run.request.session_id
        parts = run.parts
        # The scrubber takes a session's id for a key; ours opens nothing by itself.
        document = {**parts.clean(answer.to_json()), "session_id": session}
        await stores.messages.append(session, "user", parts.clean_text(run.request.text), None)
        await stores.messages.append(session, "assistant", str(document["text"]), document)
        await stores.events.append(events)
        await stores.runs.finish(run.id, str(answer.status), document, run.parts.clock.now())


async def _start(stores: Stores, run: Run) -> None:
    request = run.request
    text = run.parts.clean_text(request.text)
    if await stores.sessions.find(request.session_id) is None:
        await stores.sessions.create(request.user, request.session_id, text[:80])
    await stores.runs.start(
        run.id, request.session_id, request.user, text, run.trace_id, run.parts.clock.now()
    )
