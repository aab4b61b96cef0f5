"""The official client against `hammerstone mcp serve` and against `/mcp` of a real server."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from tests.integration.engine import add_tool
from tests.integration.mcp.servers import MODES, beside, listening, stdio
from tests.integration.serving import serve

pytestmark = pytest.mark.usefixtures("proved_folder")

DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
NUMBER: Any = {"n": {"type": "number", "description": "a number"}}
TRANSPORTS = ["stdio", "http"]


@contextmanager
def served(transport: str, folder: Path) -> Iterator[Any]:
    """What a client is given to reach the library in this folder."""
    if transport == "stdio":
        yield stdio(folder)
        return
    one = serve(folder)
    try:
        yield f"{one.address}mcp"
    finally:
        one.stop()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_tool_that_becomes_verified_is_announced_listed_and_called(
    tmp_path: Path, transport: str, mode: Any
) -> None:
    heard = asyncio.Event()
    with served(transport, tmp_path) as server:
        async with listening(server, mode, heard) as client:
            before = {tool.name for tool in (await client.list_tools()).tools}
            assert before == {"ask", "build_tool", "search_tools", "feedback"}
            async with beside(tmp_path) as hs:
                await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"})
            await asyncio.wait_for(heard.wait(), 60)
            tools = {t.name: t for t in (await client.list_tools(cache_mode="bypass")).tools}
            assert tools["double"].input_schema["required"] == ["n"]
            called = await client.call_tool("double", {"n": 21})
            assert called.structured_content == {"result": 42}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_wrong_arguments_are_told_and_the_next_call_works(
    tmp_path: Path, transport: str, mode: Any
) -> None:
    async with beside(tmp_path) as hs:
        await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"})
    with served(transport, tmp_path) as server:
        async with Client(server, mode=mode) as client:
            for name, arguments in (
                ("double", {"n": "two"}),
                ("double", {}),
                ("double", {"n": 1, "more": 2}),
                ("nothing", {}),
                ("ask", {"request": 5}),
            ):
                told = await client.call_tool(name, arguments)
                assert told.is_error, (name, arguments)
            called = await client.call_tool("double", {"n": 3})
            assert called.structured_content == {"result": 6}


def test_a_stdio_client_that_disappears_ends_the_server(tmp_path: Path) -> None:
    """Its end of the pipe closes, whether it said goodbye or not."""
    made = stdio(tmp_path)
    with subprocess.Popen(
        [made.command, *made.args],
        env=made.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for message in (_INITIALIZE, _INITIALIZED, _LIST):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()


async def test_an_http_client_that_disappears_leaves_the_others_served(tmp_path: Path) -> None:
    async with beside(tmp_path) as hs:
        await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"})
    with served("http", tmp_path) as address:
        accept = {"accept": "application/json, text/event-stream"}
        async with httpx.AsyncClient(headers=accept) as gone:
            opened = await gone.post(address, json=_INITIALIZE)
            session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            await gone.post(address, json=_INITIALIZED, headers=session)
            async with gone.stream("GET", address, headers=session) as stream:
                assert stream.status_code == 200  # it listens, and is never heard of again
        heard = asyncio.Event()
        async with listening(address, "legacy", heard) as client:
            async with beside(tmp_path) as hs:
                await add_tool(hs, DOUBLE.replace("double", "twice"), "Twice a number.", NUMBER, {})
            await asyncio.wait_for(heard.wait(), 60)
            called = await client.call_tool("twice", {"n": 4})
            assert called.structured_content == {"result": 8}


_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
