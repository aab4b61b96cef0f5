"""Tools: what there is, how it is found, its versions, and calling it."""

import difflib
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from hammerstone.app.present import tool_document, tool_summary, version_document
from hammerstone.core.errors import NotFound
from hammerstone.serve.api.bodies import ERRORS, AnswerBody
from hammerstone.serve.api.people import Engine, Person
from hammerstone.storage.stores.tools.tools import PAGE

router = APIRouter(tags=["library"], responses=ERRORS)


class CallBody(BaseModel):
    arguments: dict[str, Any] = Field(default_factory=dict)
    session: str | None = Field(None, max_length=100)


class RestoreVersionBody(BaseModel):
    version: int = Field(ge=1)


@router.get("/api/tools")
async def tools(
    hs: Engine,
    reply: Response,
    after: str = Query(
        "", max_length=200, pattern=r"^\w*$", description="Only tools whose names come after this."
    ),
    limit: int = Query(PAGE, ge=1, le=PAGE),
) -> list[dict[str, Any]]:
    """Tools by name, with standing and use. Where there may be more, the header `Link` says how
    to ask for them (`rel="next"`)."""
    page = await hs.tools.page(after, limit)
    if page.next:
        following = urlencode({"after": page.next, "limit": limit})
        reply.headers["Link"] = f'</api/tools?{following}>; rel="next"'
    return [tool_summary(tool) for tool in page.tools]


@router.get("/api/search")
async def search(
    hs: Engine,
    user: Person,
    q: str = Query(min_length=1, max_length=4000),
    limit: int = Query(10, ge=1, le=50),
) -> dict[str, Any]:
    """What a request would find: tools with every score explained (`tools` tells more of each),
    the fit of the best one, and the plan."""
    found = await hs.preview.of(q, user, limit=limit)
    hits: Any = found["hits"]
    named = await hs.tools.named([hit["name"] for hit in hits])
    return {**found, "tools": [tool_summary(tool) for tool in named]}


@router.get("/api/tools/{name}")
async def tool(name: str, hs: Engine, user: Person) -> dict[str, Any]:
    """One tool: promise, code, suite with each case's support, evidence, versions, use.

    What another person asked, and the values in cases, are not shown: `hidden_cases` counts them.
    """
    found = await hs.tools.get(name)
    document = await tool_document(hs.tools, found, hs.sharing, user)
    return {**document, "towards_trusted": await hs.library.towards_trusted(found)}


@router.get("/api/tools/{name}/versions/{number}")
async def version(name: str, number: int, hs: Engine, user: Person) -> dict[str, Any]:
    """One version of a tool, with its code and suite."""
    return version_document(await hs.sharing.seen_by(await _version(hs, name, number), user))


@router.get("/api/tools/{name}/diff")
async def diff(
    name: str, hs: Engine, user: Person, old: int = Query(ge=1), new: int = Query(ge=1)
) -> dict[str, Any]:
    """The code of two versions, line by line."""
    first, second = [
        await hs.sharing.seen_by(await _version(hs, name, number), user) for number in (old, new)
    ]
    lines = difflib.unified_diff(
        first.code.splitlines(),
        second.code.splitlines(),
        f"version {old}",
        f"version {new}",
        lineterm="",
    )
    return {"old": old, "new": new, "diff": list(lines)}


@router.post("/api/tools/{name}/restore")
async def restore(name: str, body: RestoreVersionBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Make an earlier version the active one again."""
    return tool_summary(await hs.tools.restore(name, body.version, who=user))


@router.post("/api/tools/{name}/run")
async def run(name: str, body: CallBody, hs: Engine, user: Person) -> AnswerBody:
    """Call a tool with arguments of your own; no model is involved."""
    answer = await hs.run_tool(name, body.arguments, session=body.session, user=user)
    return AnswerBody.model_validate(answer.to_json())


async def _version(hs: Any, name: str, number: int) -> Any:
    for found in await hs.tools.versions(name):
        if found.number == number:
            return found
    raise NotFound(f"{name} has no version {number}", hint="see /api/tools/{name}")
