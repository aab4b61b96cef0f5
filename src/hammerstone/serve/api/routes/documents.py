"""Documents: added by path, address or upload; listed, read, searched, forgotten."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from hammerstone.core.errors import Refused
from hammerstone.core.people import Right
from hammerstone.library.documents.documents import EVERYONE
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.people import TARGET, Asking, Engine, Person

router = APIRouter(tags=["documents"], responses=ERRORS)


class SourceBody(BaseModel):
    source: str = Field(
        description="A folder or file on the server, or a page's address.",
        min_length=1,
        max_length=4000,
    )


@router.get("/api/documents")
async def documents(hs: Engine, user: Person) -> list[dict[str, Any]]:
    """Everyone's documents and your own, with their state."""
    return [row.to_json() for row in await hs.documents.list(user)]


@router.post("/api/documents", status_code=201)
async def add(body: SourceBody, request: Request, hs: Engine) -> dict[str, Any]:
    """Read a folder, a file or a page for everyone; what is there already is refreshed."""
    request.scope[TARGET] = body.source
    return (await hs.documents.add(body.source)).to_json()


@router.post("/api/documents/refresh")
async def refresh(hs: Engine) -> list[dict[str, Any]]:
    """Read again what changed of everyone's documents, and forget what is gone."""
    return [one.to_json() for one in await hs.documents.refresh()]


@router.put("/api/documents/files/{name}", status_code=201)
async def upload(name: str, request: Request, hs: Engine, user: Person) -> dict[str, Any]:
    """Keep a file as a document of your own; one of the same name is replaced."""
    kept: GivenFiles = request.app.state.documents
    place = await kept.put(user, name, request.stream())
    return (await hs.documents.add(str(place), user)).to_json()


@router.get("/api/documents/search")
async def search(
    hs: Engine,
    user: Person,
    q: str = Query(min_length=1, max_length=4000),
    limit: int = Query(5, ge=1, le=50),
) -> list[dict[str, Any]]:
    """The passages nearest to a question, best first; no model is asked."""
    return [one.to_json() for one in await hs.documents.search(q, user, limit)]


@router.get("/api/documents/{document_id}")
async def document(document_id: int, hs: Engine, user: Person) -> dict[str, Any]:
    """One document as it was read, piece by piece."""
    row = await hs.documents.get(document_id, user)
    text = [
        {"line": c.first_line, "page": c.page or None, "section": c.section, "text": c.text}
        for c in await hs.documents.chunks(row)
    ]
    return {**row.to_json(), "text": text}


@router.delete("/api/documents/{document_id}")
async def remove(document_id: int, request: Request, hs: Engine, caller: Asking) -> dict[str, Any]:
    """Forget a document. Everyone's are forgotten by an owner; an uploaded file goes with it."""
    row = await hs.documents.get(document_id, caller.name)
    if row.tenant == EVERYONE and not caller.may(Right.GOVERN):
        raise Refused("only an owner forgets documents that are everyone's")
    request.scope[TARGET] = row.path
    if row.tenant != EVERYONE:
        _delete_upload(request.app.state.documents, caller.name, Path(row.source))
    return {"forgotten": await hs.documents.remove(str(document_id), row.tenant)}


def _delete_upload(kept: GivenFiles, user: str, place: Path) -> None:
    if place in kept.list(user):
        place.unlink(missing_ok=True)
