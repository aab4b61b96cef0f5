"""Tools of MCP servers the person set up, started or reached on first use."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from hammerstone.connectors.connector import ConnectorResult, Offer, ServiceDown
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json
from hammerstone.core.settings import McpServer
from hammerstone.core.tools import Effect

_ANSWER_WITHIN_S = 60.0
_START_WITHIN_S = 30.0
_MOST_TEXT = 200_000
_INVALID_PARAMS = -32602


class McpConnector:
    """One server. A task of its own holds the connection, since it must be closed where it was
    opened; a connection that broke is opened anew on the next call."""

    def __init__(self, name: str, server: McpServer) -> None:
        self.name = name
        self.service = f"mcp:{name}"
        self._server = server
        self._client: Client | None = None
        self._holding: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._opening = asyncio.Lock()

    async def offers(self) -> list[Offer]:
        client = await self._connected()
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S):
                listed = await client.list_tools()
        except Exception as error:
            raise await self._broken(error) from None
        return [self._offer(tool) for tool in listed.tools]

    async def call(self, operation: str, arguments: Mapping[str, Json]) -> ConnectorResult:
        client = await self._connected()
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S):
                result = await client.call_tool(operation, dict(arguments))
        except MCPError as error:
            if error.error.code == _INVALID_PARAMS:
                raise BadRequest(f"{self.name}: {error.error.message[:300]}") from None
            raise await self._broken(error) from None
        except Exception as error:
            raise await self._broken(error) from None
        text = "\n".join(_text(block) for block in result.content)[:_MOST_TEXT]
        if result.is_error:
            raise BadRequest(f"{self.name}.{operation}: {text[:300]}")
        structured: Any = result.structured_content
        value = structured if structured is not None else text
        return ConnectorResult(text or str(structured), value, f"MCP server {self.name}")

    async def close(self) -> None:
        self._leave.set()
        if self._holding is not None:
            await asyncio.gather(self._holding, return_exceptions=True)
        self._client = self._holding = None

    def _offer(self, tool: types.Tool) -> Offer:
        hints = tool.annotations
        reads = bool(hints and hints.read_only_hint)
        return Offer(
            name=f"{self.name}.{tool.name}",
            connector=self.name,
            description=(tool.description or tool.title or tool.name)[:1000],
            parameters=dict(tool.input_schema),
            effect=Effect.READS if reads else Effect.WRITES,  # what does not say so may write
        )

    async def _connected(self) -> Client:
        async with self._opening:
            held = self._client
            if held is not None:
                return held
            self._leave = asyncio.Event()
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._holding = asyncio.create_task(self._hold(ready))
            try:
                async with asyncio.timeout(_START_WITHIN_S):
                    client = await asyncio.shield(ready)
            except Exception as error:
                self._holding.cancel()
                raise ServiceDown(
                    f"the MCP server {self.name} cannot be reached ({_reason(error)})",
                    hint="hammerstone connectors check",
                ) from None
            self._client = client
            return client

    async def _hold(self, ready: "asyncio.Future[Client]") -> None:
        try:
            async with Client(self._transport()) as client:
                ready.set_result(client)
                await self._leave.wait()
        except Exception as error:
            if not ready.done():
                ready.set_exception(error)

    def _transport(self) -> Any:
        server = self._server
        if server.url:
            if server.token is None:
                return server.url
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            key = f"Bearer {server.token.get_secret_value()}"
            http = httpx2.AsyncClient(headers={"authorization": key}, timeout=_ANSWER_WITHIN_S)
            return streamable_http_client(server.url, http_client=http)
        env = {key: value.get_secret_value() for key, value in server.env.items()}
        return StdioServerParameters(command=server.command, args=server.args, env=env or None)

    async def _broken(self, error: BaseException) -> ServiceDown:
        await self.close()
        return ServiceDown(f"the MCP server {self.name} failed ({_reason(error)})")


def _text(block: Any) -> str:
    if isinstance(block, types.TextContent):
        return block.text
    return f"[{getattr(block, 'type', 'content')}]"


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:200].rstrip(": ")
