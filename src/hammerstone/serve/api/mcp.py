"""The MCP door at `/mcp`, behind the same checks as every route."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.routing import Route

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.serve.mcp.mcp_server import LibraryServer

PATH = "/mcp"


@asynccontextmanager
async def mount_mcp(app: FastAPI, hs: Hammerstone) -> AsyncIterator[None]:
    """Serve the library over streamable HTTP while the block runs.

    Host and origin are checked by the doors before anything gets here.
    """
    library = LibraryServer(hs)
    manager = StreamableHTTPSessionManager(app=library.server)
    app.router.routes.append(Route(PATH, endpoint=StreamableHTTPASGIApp(manager)))
    async with manager.run(), library.watching():
        yield
