"""The MCP server: lists what is proved, calls it, and announces what is new."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakSet

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.questions.feedback import UNSTATED
from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.errors import BadRequest, HammerstoneError
from hammerstone.core.tools import Tool
from hammerstone.core.version import VERSION
from hammerstone.run.request import AskOptions
from hammerstone.serve.mcp.dialogues import Dialogue, Dialogues, can_be_asked
from hammerstone.serve.mcp.offers import ASK, BUILD, FEEDBACK, SEARCH, doors, library_name, offer
from hammerstone.serve.mcp.permissions import Grant, Permissions
from hammerstone.serve.mcp.resources import Resources, may_build, user_of
from hammerstone.tracing.warn import warn

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
_LOOK_EVERY_S = 1.0
_INSTRUCTIONS = (
    "Tools that Hammerstone built and proved. If none fits, call `ask` with the request in plain "
    "language; a tool that is built for it appears in the list."
)


class _Announcing(Server[Any]):
    """Tells clients of the older protocol, too, that its list changes."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        changing = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(
            changing, experimental_capabilities, extensions
        )


class LibraryServer:
    """One engine's library for any number of MCP clients."""

    def __init__(self, hs: Hammerstone) -> None:
        self._hs = hs
        self._permissions = Permissions.of(hs.settings)
        self._resources = Resources(hs)
        self._dialogues = Dialogues()
        self._reading: set[asyncio.Task[Any]] = set()
        self._bus = InMemorySubscriptionBus()
        self._old_clients: WeakSet[Connection] = WeakSet()
        self.server: Server[Any] = _Announcing(
            "hammerstone",
            version=VERSION,
            title="Hammerstone",
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._resources.list,
            on_read_resource=self._resources.read,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.middleware.append(self._meet)

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Announces changes of the library while the block runs, whoever made them.

        At the end it waits for what reads the database: broken off in the middle of a query, a
        connection would be thrown away with noise.
        """
        ending = asyncio.Event()
        task = asyncio.create_task(self._watch(ending))
        try:
            yield
        finally:
            ending.set()
            await asyncio.gather(task, *self._reading, return_exceptions=True)
            await self._dialogues.close()

    async def _watch(self, ending: asyncio.Event) -> None:
        seen = await self._hs.tools.revision()
        while not ending.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), _LOOK_EVERY_S)
            try:
                now = await self._hs.tools.revision()
            except HammerstoneError as error:
                warn("the library could not be watched", error=error.message)
                continue
            if now != seen:
                seen = now
                await self._announce()

    async def _whole(self, reading: Coroutine[Any, Any, T]) -> T:
        """Read to the end even if the client leaves meanwhile."""
        task = asyncio.create_task(reading)
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)
        return await asyncio.shield(task)

    async def _announce(self) -> None:
        """To clients of the new protocol by their subscription, to older ones directly."""
        await self._bus.publish(ToolsListChanged())
        for connection in list(self._old_clients):
            try:
                await connection.send_tool_list_changed()
            except Exception as error:  # one that left must not keep the others waiting
                self._old_clients.discard(connection)
                warn("an MCP client could not be told of a change", error=str(error))

    async def _meet(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._old_clients.add(ctx.session._connection)  # pyright: ignore
        return await call_next(ctx)

    async def _list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """A page of the library; our own doors come before the first."""
        client, after = _client(ctx), (params and params.cursor) or ""
        try:
            page = await self._whole(self._hs.tools.page(after))
        except HammerstoneError as error:
            raise MCPError(types.INTERNAL_ERROR, f"{error.message}. {error.hint}") from None
        user = user_of(ctx) or self._hs.settings.user
        allowed = [tool for tool in page.tools if self._may(client, tool)]
        listed = [offer(await self._hs.sharing.tool_for(tool, user)) for tool in allowed]
        if not after and self._permissions.grant(client) >= Grant.ASK:
            shown = [one for one in doors() if one.name == ASK or may_build(ctx)]
            listed = [*shown, *listed]
        return types.ListToolsResult(tools=listed, next_cursor=page.next or None)

    def _may(self, client: str, tool: Tool) -> bool:
        return self._permissions.may_call(client, tool)

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        arguments = dict(params.arguments or {})
        try:
            if params.name in (ASK, BUILD):
                return await self._ask(ctx, params, arguments)
            if params.name == SEARCH and self._permissions.grant(_client(ctx)) >= Grant.ASK:
                return await self._search(ctx, arguments)
            if params.name == FEEDBACK:
                return await self._judge(ctx, arguments)
            tool = await self._whole(self._hs.tools.find(library_name(params.name)))
            if tool is not None and self._may(_client(ctx), tool):
                answer = await self._hs.run_tool(tool.name, arguments, user=user_of(ctx))
                return self._result(answer)
        except HammerstoneError as error:
            return _error(f"{error.message}. {error.hint}".strip())
        return _error(f"there is no tool {params.name!r} for this client")

    async def _search(self, ctx: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        text, limit = arguments.get("request"), arguments.get("limit", 5)
        if not isinstance(text, str) or not text.strip():
            raise BadRequest("the request must be text")
        if not isinstance(limit, int) or not 1 <= limit <= 50:
            raise BadRequest("the limit is a number from 1 to 50")
        user = user_of(ctx) or self._hs.settings.user
        found = await self._whole(self._hs.preview.of(text[:4000], user, limit=limit))
        return types.CallToolResult(
            content=[types.TextContent(text=json.dumps(found))], structured_content=found
        )

    async def _ask(
        self, ctx: Context, params: types.CallToolRequestParams, arguments: dict[str, Any]
    ) -> types.CallToolResult | types.InputRequiredResult:
        grant = self._permissions.grant(_client(ctx))
        if grant < Grant.ASK:
            return _error("this client may call tools, but not ask or build")
        if params.name == BUILD and not may_build(ctx):
            return _error("a guest may ask, but not build tools")
        user = user_of(ctx)
        if params.request_state is not None:
            came = await self._dialogues.go_on(ctx, user, params)
        else:
            came = await self._begin(ctx, params.name, arguments, grant)
        if isinstance(came, types.InputRequiredResult):
            return came
        return self._result(came, words=True)

    async def _judge(self, ctx: Context, arguments: dict[str, Any]) -> types.CallToolResult:
        """What a person thinks of an answer, told by their agent."""
        if self._permissions.grant(_client(ctx)) < Grant.ASK or not may_build(ctx):
            return _error("this client may not judge answers")
        right, names = arguments.get("right"), ("run", "session")
        where = {name: arguments.get(name) for name in names}
        if not isinstance(right, bool):
            raise BadRequest("`right` must be true or false")
        if not all(value is None or isinstance(value, str) for value in where.values()):
            raise BadRequest("`run` and `session` must be text")
        if right:
            reply = await self._hs.feedback.right(user=user_of(ctx), **where)
        else:
            stated = arguments.get("expected", UNSTATED)
            reply = await self._hs.feedback.wrong(stated, user=user_of(ctx), **where)
        content: list[types.ContentBlock] = [types.TextContent(text=reply.text)]
        return types.CallToolResult(content=content, structured_content=dict(reply.to_json()))

    async def _begin(
        self, ctx: Context, door: str, arguments: dict[str, Any], grant: Grant
    ) -> Answer | types.InputRequiredResult:
        text = arguments.get("request" if door == ASK else "description")
        session = arguments.get("session")
        if not isinstance(text, str) or not (session is None or isinstance(session, str)):
            raise BadRequest("the request must be text")
        asked = f"Build a tool: {text}" if door == BUILD else text
        dialogue = Dialogue(ctx, user_of(ctx))
        asks = can_be_asked(ctx)
        writes = grant >= Grant.WRITE and may_build(ctx)

        async def work() -> Answer:
            options = AskOptions(
                user=dialogue.user,
                on_question=dialogue.choose if asks else None,
                # Whoever may not write may not allow it either: that waits for another door.
                on_approval=dialogue.permit if asks and writes else None,
                by_program=True,
                keep=may_build(ctx),
            )
            return await self._hs.ask(
                asked, session=session, on_event=dialogue.tell, options=options
            )

        return await self._dialogues.begin(dialogue, work)

    def _result(self, answer: Answer, *, words: bool = False) -> types.CallToolResult:
        if answer.status is AnswerStatus.FAILED:
            return _error(answer.text)
        content: list[types.ContentBlock] = [types.TextContent(text=answer.text)]
        structured: dict[str, Any] = {"result": answer.result}
        if words:
            about = {key: value for key, value in answer.to_json().items() if key in _ABOUT}
            content.append(types.TextContent(text=json.dumps(about)))
            structured |= {**about, "text": answer.text, "status": str(answer.status)}
        content += self._resources.links(answer)
        return types.CallToolResult(content=content, structured_content=structured)


_ABOUT = (
    "tool",
    "version",
    "confidence",
    "sureness",
    "why",
    "call",
    "alternatives",
    "proof",
    "cached",
    "session_id",
    "run_id",
    "trace_id",
)


def _client(ctx: Context) -> str:
    params = ctx.session.client_params
    return params.client_info.name if params and params.client_info else ""


def _error(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
