"""Who asks: the owner, or the person whose token came with the request."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.serve.api.runs import LiveRuns

USER = "hammerstone.user"  # in the ASGI scope, set by the doors


def engine(request: Request) -> Hammerstone:
    return request.app.state.engine


def live_runs(request: Request) -> LiveRuns:
    return request.app.state.runs


def person(request: Request) -> str:
    return person_of(request)


def person_of(connection: HTTPConnection) -> str:
    return connection.scope.get(USER) or connection.app.state.engine.settings.user


Engine = Annotated[Hammerstone, Depends(engine)]
Runs = Annotated[LiveRuns, Depends(live_runs)]
Person = Annotated[str, Depends(person)]
