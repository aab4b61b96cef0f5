"""Who asks: the owner, or the person whose token came with the request, and as what."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.people import Caller
from hammerstone.serve.api.runs import LiveRuns

# In the ASGI scope, set by the doors:
USER = "hammerstone.user"  # the name
CALLER = "hammerstone.caller"  # the name and the role
TARGET = "hammerstone.target"  # set by a route: what the audit list says was changed


def engine(request: Request) -> Hammerstone:
    return request.app.state.engine


def live_runs(request: Request) -> LiveRuns:
    return request.app.state.runs


def person_of(connection: HTTPConnection) -> str:
    return connection.scope.get(USER) or connection.app.state.engine.settings.user


def caller_of(connection: HTTPConnection) -> Caller:
    return connection.scope[CALLER]


Engine = Annotated[Hammerstone, Depends(engine)]
Runs = Annotated[LiveRuns, Depends(live_runs)]
Person = Annotated[str, Depends(person_of)]
Asking = Annotated[Caller, Depends(caller_of)]
