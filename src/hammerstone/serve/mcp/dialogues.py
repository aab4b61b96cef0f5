"""Requests that ask the person behind a client something, in the way the client knows.

A client of the older protocol is asked while its call waits. One of the newer protocol gets its
call back with the question in it, and calls again with the answer; the run waits here meanwhile.
A client that never comes back leaves nothing behind: the run goes on without an answer.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hammerstone.core.answers import Answer, Event
from hammerstone.core.approvals import Approval
from hammerstone.core.errors import BadRequest

Context = ServerRequestContext[Any, Any]
_ANSWER_WITHIN_S = 300.0
_FIELD = "answer"


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """One question with one field."""

    text: str
    field: dict[str, Any]

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {_FIELD: self.field}, "required": [_FIELD]}

    def request(self) -> types.ElicitRequest:
        params = types.ElicitRequestFormParams(message=self.text, requested_schema=self.schema)
        return types.ElicitRequest(params=params)


def said(result: Any) -> Any:
    """What the person put into the field; None if they declined, or the client made it up."""
    if not isinstance(result, types.ElicitResult) or result.action != "accept":
        return None
    return (result.content or {}).get(_FIELD)


class Dialogue:
    """One run, over as many calls of its client as it has questions."""

    def __init__(self, ctx: Context, user: str | None) -> None:
        self.id = ""  # of the question that waits: each has its own, and an answer is for one
        self.user = user
        self.ctx = ctx
        self.task: asyncio.Task[Answer] | None = None
        self.attended = True  # a call waits for this run
        self._steps = 0
        self._form: QuestionForm | None = None
        self._given: asyncio.Future[Any] | None = None
        self._news = asyncio.Event()
        self._one_by_one = asyncio.Lock()

    async def tell(self, event: Event) -> None:
        """A step of the run, as progress of the call that waits for it now."""
        self._steps += 1
        if self.attended:
            await self.ctx.session.report_progress(self._steps, message=event.text)

    async def choose(self, text: str, choices: tuple[str, ...]) -> int | None:
        form = QuestionForm(text, {"type": "string", "enum": list(dict.fromkeys(choices))})
        chosen = await self._ask(form)
        return choices.index(chosen) if chosen in choices else None

    async def permit(self, asked: Approval) -> bool | None:
        form = QuestionForm(asked.text, {"type": "boolean", "title": "May this happen?"})
        given = await self._ask(form)
        return given if isinstance(given, bool) else None

    async def _ask(self, form: QuestionForm) -> Any:
        async with self._one_by_one:
            try:
                return await asyncio.wait_for(self._put(form), _ANSWER_WITHIN_S)
            except (TimeoutError, MCPError):
                return None

    async def _put(self, form: QuestionForm) -> Any:
        if self.ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            related = self.ctx.request_id
            return said(await self.ctx.session.elicit_form(form.text, form.schema, related))
        self._given = asyncio.get_running_loop().create_future()
        self._form = form
        self._news.set()
        try:
            return await self._given
        finally:
            self._form = self._given = None

    def answer(self, ctx: Context, responses: types.InputResponses | None) -> None:
        """Go on with what came back, for the call that brought it."""
        self.ctx = ctx
        self.attended = True
        self._news.clear()
        if self._given is not None and not self._given.done():
            self._given.set_result(said((responses or {}).get(_FIELD)))

    async def next(self) -> Answer | types.InputRequiredResult:
        """The run's answer, or its next question; a call that is broken off ends the run."""
        assert self.task is not None
        news = asyncio.ensure_future(self._news.wait())
        try:
            await asyncio.wait({self.task, news}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.task.cancel()
            raise
        finally:
            news.cancel()
        if self.task.done() or self._form is None:
            return await self.task
        self.attended = False
        self.id = secrets.token_hex(16)
        return types.InputRequiredResult(
            input_requests={_FIELD: self._form.request()}, request_state=self.id
        )


class Dialogues:
    """The runs that wait for their client's next call."""

    def __init__(self) -> None:
        self._waiting: dict[str, Dialogue] = {}
        self._runs: set[asyncio.Task[Answer]] = set()

    async def begin(
        self, dialogue: Dialogue, work: Callable[[], Awaitable[Answer]]
    ) -> Answer | types.InputRequiredResult:
        async def run() -> Answer:
            return await work()

        dialogue.task = asyncio.create_task(run())
        self._runs.add(dialogue.task)
        dialogue.task.add_done_callback(self._runs.discard)
        return await self._until_next(dialogue)

    async def go_on(
        self, ctx: Context, user: str | None, params: types.CallToolRequestParams
    ) -> Answer | types.InputRequiredResult:
        """Raises `BadRequest` when no run of this person waits for that."""
        dialogue = self._waiting.get(params.request_state or "")
        if dialogue is None or dialogue.user != user:
            raise BadRequest("no run waits for this answer", hint="ask again")
        del self._waiting[dialogue.id]
        dialogue.answer(ctx, params.input_responses)
        return await self._until_next(dialogue)

    async def _until_next(self, dialogue: Dialogue) -> Answer | types.InputRequiredResult:
        came = await dialogue.next()
        if isinstance(came, types.InputRequiredResult) and dialogue.task is not None:
            self._waiting[dialogue.id] = dialogue
            dialogue.task.add_done_callback(lambda done: self._left(dialogue, done))
        return came

    def _left(self, dialogue: Dialogue, done: "asyncio.Task[Answer]") -> None:
        """The run ended while nobody waited for it; what it did is recorded all the same."""
        if self._waiting.pop(dialogue.id, None) is not None and not done.cancelled():
            done.exception()

    async def close(self) -> None:
        runs = list(self._runs)
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
        self._waiting.clear()


def can_be_asked(ctx: Context) -> bool:
    """Whether the client says that it can show its person a question."""
    wanted = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    return ctx.session.check_client_capability(wanted)
