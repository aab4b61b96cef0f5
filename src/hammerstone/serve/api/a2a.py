"""The A2A door: the agent card and the task endpoint, where the extra is installed."""

from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.serve.api.people import CALLER, USER


def mount_a2a(app: FastAPI, hs: Hammerstone) -> None:
    """Add the routes; without the `a2a` extra there are none."""
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
