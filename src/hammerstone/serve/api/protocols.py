"""The doors of other protocols, MCP and A2A, behind the same checks as every route."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.routing import Route

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.serve.api.people import CALLER, USER
from hammerstone.serve.mcp.mcp_server import LibraryServer


@asynccontextmanager
async def mount_mcp(app: FastAPI, hs: Hammerstone) -> AsyncIterator[None]:
    """Serve the library over MCP's streamable HTTP at `/mcp` while the block runs.

    Host and origin are checked by the doors before anything gets here.
    """
    library = LibraryServer(hs)
    manager = StreamableHTTPSessionManager(app=library.server)
    app.router.routes.append(Route("/mcp", endpoint=StreamableHTTPASGIApp(manager)))
    async with manager.run(), library.watching():
        yield


def mount_a2a(app: FastAPI, hs: Hammerstone) -> None:
    """Add A2A's agent card and task endpoint; without the `a2a` extra there are none."""
    if find_spec("a2a") is None:
        return
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.request_handlers.response_helpers import agent_card_to_dict
    from a2a.server.routes import create_jsonrpc_routes
    from a2a.server.routes.common import DefaultServerCallContextBuilder

    from hammerstone.serve.a2a.card import CARD, PATH, agent_card, proved_tools
    from hammerstone.serve.a2a.executor import RequestExecutor
    from hammerstone.serve.a2a.tasks import RecentTasks

    class Callers(DefaultServerCallContextBuilder):
        """Carries whose token it was to the executor."""

        def build(self, request: Request) -> Any:
            context = super().build(request)
            who = {name: request.scope.get(name) for name in (USER, CALLER)}
            context.state = {**context.state, **who}
            return context

    async def card(request: Request) -> JSONResponse:
        made = agent_card(str(request.base_url), await proved_tools(hs.tools), hs.settings)
        return JSONResponse(agent_card_to_dict(made))

    described = agent_card("http://localhost/", [], hs.settings)
    handler = DefaultRequestHandler(RequestExecutor(hs), RecentTasks(), described)
    app.add_route(CARD, card, methods=["GET"], include_in_schema=False)
    app.router.routes.extend(create_jsonrpc_routes(handler, PATH, context_builder=Callers()))
