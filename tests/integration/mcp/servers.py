"""The library over MCP in both protocol modes, over real stdio and real HTTP."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import get_default_environment

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from tests.integration.engine import Script

MODES = ["auto", "legacy"]


def stdio(folder: Path, **settings: str) -> StdioServerParameters:
    """`hammerstone mcp serve` as an editor starts it."""
    named = {f"HAMMERSTONE_{name.upper()}": value for name, value in settings.items()}
    environment = get_default_environment()
    environment |= {"HAMMERSTONE_DATA_DIR": str(folder), "HAMMERSTONE_EMBEDDER": "off"}
    environment |= {"HAMMERSTONE_STARTER_TOOLS": "0", **named}
    command = "from hammerstone.serve.cli.main import main; main()"
    return StdioServerParameters(
        command=sys.executable, args=["-c", command, "mcp", "serve"], env=environment
    )


@asynccontextmanager
async def beside(folder: Path) -> AsyncIterator[Hammerstone]:
    """Another process's view of the same library: its changes have to be noticed."""
    settings = Settings(data_dir=folder, embedder="off")
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(Script()))) as hs:
        yield hs


@asynccontextmanager
async def listening(server: Any, mode: Any, heard: asyncio.Event) -> AsyncIterator[Client]:
    """A client that waits for the list of tools to change, as its protocol does."""

    async def listen(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            heard.set()

    async with Client(server, mode=mode, message_handler=listen) as client:
        await client.list_tools()
        async with subscribed(client, mode, heard.set):
            yield client


@asynccontextmanager
async def subscribed(client: Client, mode: str, heard: Callable[[], None]) -> AsyncIterator[None]:
    if mode == "legacy":
        yield
        return
    async with client.listen(tools_list_changed=True) as events:

        async def wait() -> None:
            async for _event in events:
                heard()

        task = asyncio.create_task(wait())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
