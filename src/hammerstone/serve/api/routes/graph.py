"""The skill graph: which tool follows which, and ways from here to there."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from hammerstone.core.errors import BadRequest
from hammerstone.library.graph import Have, Want
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["graph"], responses=ERRORS)


@router.get("/api/graph")
async def graph(
    hs: Engine,
    user: Person,
    around: str | None = Query(None, max_length=200),
    possible: bool = False,
    limit: int = Query(150, ge=1, le=1000),
) -> dict[str, Any]:
    """Tools and the edges that use has taught; with `around`, one tool's neighbourhood."""
    return await hs.graph.document(user, around=around, limit=limit, possible=possible)


@router.get("/api/graph/paths")
async def paths(
    hs: Engine,
    user: Person,
    want: str = Query(min_length=1, max_length=1000, description="A tool, or what you want."),
    have: Annotated[list[str] | None, Query(description="Types, or names of files.")] = None,
    limit: int = Query(3, ge=1, le=10),
) -> list[dict[str, Any]]:
    """Ways from what you have to what you want, each step explained."""
    known = await hs.tools.find(want)
    goal = Want.result_of(want) if known else Want.described(want)
    at_hand = [_have(name) for name in have or ()]
    return [path.to_json() for path in await hs.graph.paths(at_hand, goal, limit, tenant=user)]


_TYPES = ("string", "number", "integer", "boolean", "array", "object")


def _have(name: str) -> Have:
    if name in _TYPES:
        return Have.type(name, {"type": name})
    if "." in name and "/" not in name:
        return Have.file(name)
    raise BadRequest(f"{name!r} is neither a type nor a file", hint=", ".join(_TYPES))
