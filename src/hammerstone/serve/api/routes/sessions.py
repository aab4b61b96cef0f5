"""Sessions, their messages, and files in and out."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from hammerstone.app.deleting import delete_session
from hammerstone.core.errors import BadRequest
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.people import Engine, Person, Runs
from hammerstone.storage.rows import Session

router = APIRouter(tags=["sessions"], responses=ERRORS)


class TitleBody(BaseModel):
    title: str = Field(min_length=1, max_length=200)


def _session(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.title,
        "created_at": session.created_at.isoformat(),
    }


@router.get("/api/sessions")
async def sessions(
    hs: Engine, user: Person, limit: int = Query(50, ge=1, le=500)
) -> list[dict[str, Any]]:
    """Your sessions, newest first."""
    return [_session(session) for session in await hs.sessions.list(user, limit)]


@router.get("/api/sessions/{session_id}")
async def session(
    session_id: str, hs: Engine, user: Person, limit: int = Query(100, ge=1, le=1000)
) -> dict[str, Any]:
    """A session with its last messages, oldest first, and its files."""
    found = await hs.sessions.get(session_id, user)
    messages = await hs.sessions.messages(session_id, user, limit)
    return {
        **_session(found),
        "messages": [
            {
                "author": message.author,
                "text": message.text,
                "at": message.at.isoformat(),
                "data": message.data,
            }
            for message in messages
        ],
        "files": [_file(row) for row in await hs.sessions.files(user, session_id)],
    }


@router.patch("/api/sessions/{session_id}")
async def rename(session_id: str, body: TitleBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Give a session another title."""
    return _session(await hs.sessions.rename(session_id, user, body.title))


@router.delete("/api/sessions/{session_id}")
async def delete(
    session_id: str, hs: Engine, user: Person, runs: Runs, lessons: bool = False
) -> dict[str, Any]:
    """Delete a session with all that is in it; with `lessons`, also what was learned from it
    and not from enough others."""
    if any(run.session_id == session_id and not run.done for run in runs.of(user)):
        raise BadRequest("a request of this session is being answered", hint="stop it first")
    return {"done": await delete_session(hs, session_id, user, lessons=lessons)}


def _file(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "media_type": row.media_type,
        "size_bytes": row.size_bytes,
        "session_id": row.session_id,
        "run_id": row.run_id,
        "at": row.at.isoformat(),
        "expires_at": row.expires_at.isoformat(),
    }


@router.get("/api/artifacts")
async def artifacts(
    hs: Engine, user: Person, session: str | None = Query(None, max_length=100)
) -> list[dict[str, Any]]:
    """Files that tools made for you, newest first."""
    return [_file(row) for row in await hs.sessions.files(user, session)]


@router.get(
    "/api/artifacts/{file_id}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def download(file_id: str, hs: Engine, user: Person, inline: bool = False) -> Response:
    """One file; `inline` shows pictures in place, everything else is a download."""
    row, content = await hs.sessions.file(file_id, user)
    picture = inline and row.media_type in ("image/png", "image/jpeg", "image/gif", "image/webp")
    return Response(
        content,
        media_type=row.media_type if picture else "application/octet-stream",
        headers={
            "content-disposition": (
                f"{'inline' if picture else 'attachment'}; filename*=UTF-8''{quote(row.name)}"
            )
        },
    )


@router.get("/api/files")
async def given(request: Request, user: Person) -> list[dict[str, Any]]:
    """Files you gave within the last day."""
    files: GivenFiles = request.app.state.files
    return [{"name": path.name, "size_bytes": path.stat().st_size} for path in files.list(user)]


@router.put(
    "/api/files/{name}",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def give(name: str, request: Request, user: Person) -> dict[str, Any]:
    """Give a file for later requests (the body is its content); kept for a day."""
    files: GivenFiles = request.app.state.files

    async def pieces() -> AsyncIterator[bytes]:
        async for piece in request.stream():
            yield piece

    path = await files.put(user, name, pieces())
    return {"name": path.name, "size_bytes": path.stat().st_size}
