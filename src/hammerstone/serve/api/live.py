"""The WebSocket: requests go in, steps and answers come out; a lost line is taken up again.

In: `{"text": "...", "session": null, "files": []}` starts a run (with `"fresh": true` not as it
was answered before, with `"model"` by that one; sent again with the same `"run_id"`, 32 hexadecimal
digits, it is told on and not begun again); `{"resume": RUN, "after": N, "event": M}` gets
what a run said after message N, or after its event M where another process began or ended it;
`{"choice": 0}` answers its question and `{"approve": true, "id": ID}` the approval with that id
(with `"run"` if several are watched); `{"cancel": RUN}` stops it; `{"watch": true}` asks for all
that happens in the person's sessions.
Out: `{"type": "run_started"}` once the request outlives the server or is answered,
`{"type": "agent_event", "event": {...}}` for each step,
`{"type": "question"}` and `{"type": "approval"}` when a person is needed, and
`{"type": "query_complete", "answer": {...}}` or the same with `"error"`. Every message has the
`run_id` and its `number` in the run. A run that another process began has `"again": true` in its
`run_started`; its numbers are those of its events. A run that is not known is
`{"type": "run_gone"}`. Closing the socket does not stop the run. What a run's proof
comes to is an `agent_event` of kind `proof`, and of kind `correction` where the answer was wrong,
on every socket that has watched a run of that session.
Whoever watches also gets `{"type": "proof_progress", "done": 3, "most": 29, "elapsed_s": 41.0}`
and `{"type": "session_changed", "session_id": ID, "change": "started"}`, so that two pages agree.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from hammerstone.core.errors import BadRequest, HammerstoneError, NotFound
from hammerstone.core.intake import IntakeError, read_apart, read_json
from hammerstone.serve.api.bodies import RUN_ID, error_document
from hammerstone.serve.api.entrance import BEARER
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.people import caller_of
from hammerstone.serve.api.runs import LiveRun, LiveRuns

router = APIRouter()

_SEND_WITHIN_S = 30.0
_MOST_WATCHED = 20


@router.websocket("/ws")
async def live(socket: WebSocket) -> None:
    # A browser that offered its token as a subprotocol hangs up unless that is chosen.
    offered = socket.scope.get("subprotocols", [])
    await socket.accept(next((name for name in offered if name.startswith(BEARER)), None))
    watcher = Watcher(socket)
    try:
        await watcher.hold()
    except WebSocketDisconnect:
        return


class Watcher:
    """One socket of one person, watching any of that person's runs."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._runs: LiveRuns = socket.app.state.runs
        self._files: GivenFiles = socket.app.state.files
        self._caller = caller_of(socket)
        self._user = self._caller.name
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._last: LiveRun | None = None
        self._sessions: set[str] = set()  # of the runs that were watched here
        self._watches_all = False
        self._sending = asyncio.Lock()
        self._behind: dict[str, list[dict[str, Any]]] = {}  # proofs' events of runs still followed

    async def hold(self) -> None:
        self._runs.watchers.add(self._later)
        try:
            while True:
                frame = await self._socket.receive()
                if frame["type"] == "websocket.disconnect":
                    raise WebSocketDisconnect(frame.get("code", 1000))
                try:
                    await self._handle(frame.get("text"))
                except HammerstoneError as error:
                    await self._send({"type": "query_complete", **error_document(error)})
        finally:
            self._runs.watchers.discard(self._later)
            for task in self._watching.values():
                task.cancel()
            await asyncio.gather(*self._watching.values(), return_exceptions=True)

    async def _handle(self, text: str | None) -> None:
        if text is None:
            raise BadRequest("that is a binary frame", hint="send JSON as text")
        try:
            message: Any = await read_apart(read_json, text)
        except IntakeError as error:
            raise BadRequest("that is not a JSON object", hint=str(error)) from None
        if not isinstance(message, dict):
            raise BadRequest("that is not a JSON object")
        await self._follow_word(message)

    async def _follow_word(self, message: dict[str, Any]) -> None:
        if "resume" in message:
            await self._resume(str(message["resume"]), message)
        elif "choice" in message:
            self._run(message).choose(message["choice"], message.get("id"))
        elif "approve" in message:
            self._run(message).approve(message["approve"], message.get("id"))
        elif "watch" in message:
            self._watches_all = message["watch"] is True
        elif "cancel" in message:
            await self._runs.cancel(self._runs.get(str(message["cancel"]), self._user))
        elif not isinstance(message.get("text"), str):
            raise BadRequest("`text` is missing")
        elif not _is_unicode(message["text"]) or not _is_unicode(message.get("session") or ""):
            raise BadRequest("the text is no valid Unicode: it holds half a character")
        else:
            await self._start(message)

    async def _resume(self, run_id: str, message: dict[str, Any]) -> None:
        """Go on telling of a run: behind message `after` if it was begun here, behind `event` if
        another process began it or ended it. That there is no such run is told, too."""
        after, event = (
            value if type(value := message.get(name)) is int else -1 for name in ("after", "event")
        )
        run = self._runs.find(run_id, self._user)
        if run is not None:
            self._watch(run, event if run.again else after)
            return
        try:
            row, _ = await self._socket.app.state.engine.sessions.run(run_id, self._user)
        except NotFound as error:
            gone = {"type": "run_gone", "run_id": run_id}
            await self._send({**gone, **error_document(error)})
            return
        begun = {"session_id": row.session_id, "text": row.request, "files": []}
        self._sessions.add(row.session_id)
        following = self._follow_stored(run_id, begun, event)
        self._add(run_id, asyncio.create_task(following))

    async def _start(self, message: dict[str, Any]) -> None:
        run_id = message.get("run_id")
        if run_id is not None:
            if not re.fullmatch(RUN_ID, str(run_id)):
                raise BadRequest("`run_id` is 32 hexadecimal digits")
            if await self._runs.is_known(str(run_id), self._user):
                await self._resume(str(run_id), message)
                return
        session = message.get("session")
        names = message.get("files") or []
        if not isinstance(names, list):
            raise BadRequest("`files` is a list of names")
        run = self._runs.start(
            message["text"],
            caller=self._caller,
            run_id=run_id,
            session=session if isinstance(session, str) and session else None,
            files=self._files.paths(self._user, [str(name) for name in names]),
            fresh=message.get("fresh") is True,
            model=str(message["model"]) if message.get("model") else None,
        )
        self._watch(run, -1)

    def _run(self, message: dict[str, Any]) -> LiveRun:
        if "run" in message:
            return self._runs.get(str(message["run"]), self._user)
        if self._last is None:
            raise BadRequest("no run waits for an answer")
        return self._last

    async def _later(self, message: dict[str, Any], user: str) -> None:
        """What happens beside the runs that are watched: proofs, corrections, other pages.

        What a proof says of a run that is still being told comes behind the run's own events, so
        that who goes on behind the last event it has seen misses none.
        """
        if user != self._user:
            return
        about = message["type"] == "agent_event" and message["event"]["session_id"]
        following = self._watching.get(message["run_id"]) if about else None
        if following is not None and not following.done():
            self._behind.setdefault(message["run_id"], []).append(message)
        elif self._watches_all or about in self._sessions:
            await self._send(message)

    def _watch(self, run: LiveRun, after: int) -> None:
        self._last = run
        self._sessions.add(run.session_id)
        self._add(run.id, asyncio.create_task(self._follow(run, after)))

    def _add(self, new: str, following: "asyncio.Task[None]") -> None:
        for run_id in [run_id for run_id, task in self._watching.items() if task.done()]:
            del self._watching[run_id]
        old = self._watching.pop(new, None)
        if old is not None:
            old.cancel()
        if len(self._watching) >= _MOST_WATCHED:
            following.cancel()
            raise BadRequest("this connection watches too many runs")
        self._watching[new] = following

    async def _follow(self, run: LiveRun, after: int) -> None:
        started = {"type": "run_started", "run_id": run.id, "session_id": run.session_id}
        await run.accepted.wait()
        begun = {"text": run.text, "files": list(run.files), "elapsed_s": run.elapsed_s}
        await self._send({**started, **begun, "again": run.again})
        await self._tell(run.id, run.follow(after))

    async def _follow_stored(self, run_id: str, begun: dict[str, Any], event: int) -> None:
        await self._send({"type": "run_started", "run_id": run_id, **begun, "again": True})
        await self._tell(run_id, self._runs.follow_stored(run_id, self._user, event))

    async def _tell(self, run_id: str, messages: AsyncIterator[dict[str, Any]]) -> None:
        """Send what a run says, then what came meanwhile and was not among it."""
        last = -1
        async for message in messages:
            if message["type"] == "agent_event":
                last = message["event"]["number"]
            await self._send(message)
        while behind := self._behind.pop(run_id, None):
            for message in behind:
                if message["event"]["number"] > last:
                    last = message["event"]["number"]
                    await self._send(message)

    async def _send(self, message: dict[str, Any]) -> None:
        """A client that does not read for half a minute is let go; its run goes on."""
        text = json.dumps(message, ensure_ascii=False, default=str)
        text = text.encode("utf-8", "replace").decode()  # half a character cannot be sent
        async with self._sending:
            try:
                await asyncio.wait_for(self._socket.send_text(text), _SEND_WITHIN_S)
            except TimeoutError:
                await self._socket.close(1008, "too slow")
            except (RuntimeError, WebSocketDisconnect):
                return  # the person left


def _is_unicode(text: Any) -> bool:
    """Whether a text can be written as UTF-8; JSON may hold halves of characters."""
    try:
        str(text).encode()
    except UnicodeEncodeError:
        return False
    return True
