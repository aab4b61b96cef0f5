"""Sessions, their messages, and files in and out."""

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Proof
from hammerstone.core.approvals import QUESTION
from hammerstone.core.errors import BadRequest
from hammerstone.serve.api.bodies import ERRORS, approval_document
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.people import Engine, Person, Runs
from hammerstone.storage.rows import RunRow, Session, StoredMessage

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
    hs: Engine,
    user: Person,
    limit: int = Query(50, ge=1, le=500),
    search: str = Query("", max_length=200),
) -> list[dict[str, Any]]:
    """Your sessions, newest first; with `search` those whose title or messages hold the words."""
    words = search.strip()
    if words:
        found = await hs.sessions.search(user, words, limit)
    else:
        found = await hs.sessions.list(user, limit)
    return [_session(session) for session in found]


@router.get("/api/sessions/{session_id}")
async def session(
    session_id: str,
    hs: Engine,
    user: Person,
    runs: Runs,
    limit: int = Query(100, ge=1, le=1000),
) -> dict[str, Any]:
    """A session with its last messages, oldest first, and its files.

    Beside them: `unanswered` requests (under way, broken off, stopped, or ended by an error), what
    you said about answers (`feedback`, by run), what waits for your word (`approvals`), and how far
    the proofs behind answers are (`proving`, by run).
    """
    found = await hs.sessions.get(session_id, user)
    messages = await hs.sessions.messages(session_id, user, limit)
    rows = await hs.sessions.runs(session_id, user, limit)
    waiting = await hs.approvals.list(user, limit=500)
    said = {str((message.data or {}).get("run_id")) for message in messages}
    now = {row.id: await _proved(row, hs) for row in rows if row.id in said}
    progress = hs.proofs.worker.progress
    broken = {one.run_id for one in await hs.waking.broken_off(user, session_id)}
    proving = [shown for run_id in said if (shown := progress.find(run_id)) is not None]
    return {
        **_session(found),
        "messages": [_message(message, now) for message in messages],
        "files": [_file(row) for row in await hs.files.list(user=user, session=session_id)],
        "unanswered": [_unanswered(row, row.id in broken) for row in rows if row.id not in said],
        "feedback": await hs.sessions.feedback(session_id, user),
        "approvals": [
            approval_document(one)
            for one in waiting
            if one.session_id == session_id and one.kind != QUESTION
        ],
        "proving": {one.run_id: one.to_json() for one in proving},
    }


_OF_PROOF = ("proof", "tool", "version", "tool_confidence")


async def _proved(row: RunRow, hs: Hammerstone) -> dict[str, Any]:
    """What an answer's proof has come to since it was given."""
    answer = row.answer if isinstance(row.answer, dict) else {}
    known = {name: answer[name] for name in _OF_PROOF if name in answer}
    if known.get("proof") == str(Proof.PENDING):  # a proof may have been given up since
        known["proof"] = str(await hs.proofs.state(row.id))
    return known


def _message(message: StoredMessage, now: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    data = message.data
    if data is not None and "before" not in data:
        data = {**data, **now.get(str(data.get("run_id")), {})}
    at = message.at.isoformat()
    return {"author": message.author, "text": message.text, "at": at, "data": data}


def _unanswered(row: RunRow, broken: bool) -> dict[str, Any]:
    """A request without an answer; one that nobody works on any more is `lost`, for now."""
    answer = row.answer if isinstance(row.answer, dict) else {}
    return {
        "run_id": row.id,
        "text": row.request,
        "status": "lost" if broken else row.status,
        "reason": str(answer.get("text") or ""),
        "at": row.started_at.isoformat(),
    }


@router.post("/api/sessions/{session_id}/wake", status_code=202)
async def wake(session_id: str, hs: Engine, user: Person) -> list[dict[str, Any]]:
    """Continue what was broken off in a session; the requests that go on now, or wait for you."""
    await hs.sessions.get(session_id, user)
    broken = await hs.waking.broken_off(user, session_id)
    hs.waking.look()
    return [one.to_json() for one in broken]


@router.patch("/api/sessions/{session_id}")
async def rename(
    session_id: str, body: TitleBody, hs: Engine, user: Person, runs: Runs
) -> dict[str, Any]:
    """Give a session another title."""
    renamed = await hs.sessions.rename(session_id, user, body.title)
    await runs.announce(user, session_id, "renamed", title=renamed.title)
    return _session(renamed)


@router.delete("/api/sessions/{session_id}")
async def delete(
    session_id: str, hs: Engine, user: Person, runs: Runs, lessons: bool = False
) -> dict[str, Any]:
    """Delete a session with all that is in it; with `lessons`, also what was learned from it
    and not from enough others."""
    if any(run.session_id == session_id and not run.done for run in runs.of(user)):
        raise BadRequest("a request of this session is being answered", hint="stop it first")
    done = await hs.sessions.delete(session_id, user, lessons=lessons)
    await runs.announce(user, session_id, "deleted")
    return {"done": done}


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
    if session is not None:
        await hs.sessions.get(session, user)
    return [_file(row) for row in await hs.files.list(user=user, session=session)]


@router.get(
    "/api/artifacts/{file_id}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def download(file_id: str, hs: Engine, user: Person, inline: bool = False) -> Response:
    """One file; `inline` shows pictures in place, everything else is a download."""
    row, content = await hs.files.get(file_id, user=user)
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
