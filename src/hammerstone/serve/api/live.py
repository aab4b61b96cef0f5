"""The WebSocket: a request goes in, its steps and its answer come out.

In: `{"text": "...", "session": null}`, and `{"choice": 0}` to answer a question.
Out: `{"type": "agent_event", "event": {...}}` for each step, `{"type": "question", "text": ...,
"choices": [...]}` when the person is asked, and `{"type": "query_complete", "answer": {...}}` or
the same with `"error"` at the end. One request at a time; closing the socket stops the run.
"""

import asyncio
import json
import logging
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Event
from hammerstone.core.errors import BadRequest, HammerstoneError
from hammerstone.serve.api.doors import BEARER

router = APIRouter()

_ANSWER_WITHIN_S = 300.0


@router.websocket("/ws")
async def live(socket: WebSocket) -> None:
    # A browser that offered its token as a subprotocol hangs up unless that is chosen.
    offered = socket.scope.get("subprotocols", [])
    await socket.accept(next((name for name in offered if name.startswith(BEARER)), None))
    conversation = Conversation(socket, socket.app.state.engine)
    try:
        await conversation.hold()
    except WebSocketDisconnect:
        return


class Conversation:
    """One socket: reads all the time, so that it notices when the person leaves."""

    def __init__(self, socket: WebSocket, hs: Hammerstone) -> None:
        self._socket = socket
        self._hs = hs
        self._run: asyncio.Task[None] | None = None
        self._choice: asyncio.Future[int | None] | None = None

    async def hold(self) -> None:
        try:
            while True:
                await self._handle(await self._socket.receive_text())
        finally:
            if self._run is not None and not self._run.done():
                self._run.cancel()
                await asyncio.gather(self._run, return_exceptions=True)

    async def _handle(self, text: str) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            await self._complain(BadRequest("that is not a JSON object"))
        elif "choice" in message:
            self._choose(message["choice"])
        elif self._run is not None and not self._run.done():
            await self._complain(BadRequest("a request is being answered already"))
        elif not isinstance(message.get("text"), str):
            await self._complain(BadRequest("`text` is missing"))
        else:
            self._run = asyncio.create_task(self._answer(message))

    def _choose(self, choice: Any) -> None:
        if self._choice is not None and not self._choice.done():
            valid = isinstance(choice, int) and not isinstance(choice, bool) and choice >= 0
            self._choice.set_result(choice if valid else None)

    async def _answer(self, message: dict[str, Any]) -> None:
        session = message.get("session")
        try:
            answer = await self._hs.ask(
                message["text"],
                session=session if isinstance(session, str) else None,
                on_event=self._show,
                on_question=self._ask,
            )
        except HammerstoneError as error:
            await self._complain(error)
        except Exception as error:
            # Whoever waits for the answer must hear that none will come.
            logging.getLogger("hammerstone.serve").error("a request failed", exc_info=error)
            await self._complain(HammerstoneError("something went wrong inside", hint="ask again"))
        else:
            await self._send({"type": "query_complete", "answer": answer.to_json()})

    async def _show(self, event: Event) -> None:
        await self._send(
            {
                "type": "agent_event",
                "event": {
                    "kind": str(event.kind),
                    "run_id": event.run_id,
                    "session_id": event.session_id,
                    "number": event.number,
                    "at": event.at.isoformat(),
                    "text": event.text,
                    "data": dict(event.data),
                },
            }
        )

    async def _ask(self, text: str, choices: tuple[str, ...]) -> int | None:
        self._choice = asyncio.get_running_loop().create_future()
        await self._send({"type": "question", "text": text, "choices": list(choices)})
        try:
            chosen = await asyncio.wait_for(self._choice, _ANSWER_WITHIN_S)
        except TimeoutError:
            return None
        return chosen if chosen is not None and chosen < len(choices) else None

    async def _complain(self, error: HammerstoneError) -> None:
        document = {"code": error.code, "message": error.message, "hint": error.hint}
        await self._send({"type": "query_complete", "error": document})

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            await self._socket.send_text(json.dumps(message, ensure_ascii=False, default=str))
        except (RuntimeError, WebSocketDisconnect):
            return  # the person left; `hold` stops the run
