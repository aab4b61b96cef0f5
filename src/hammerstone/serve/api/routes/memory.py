"""What is remembered about the person who asks: read, added, edited, forgotten."""

from typing import Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hammerstone.library.memory.memory_instructions import Layer
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["memory"], responses=ERRORS)


class StatementBody(BaseModel):
    text: str = Field(min_length=1, max_length=2000)


class FileBody(BaseModel):
    text: str = Field(max_length=100_000)


@router.get("/api/memory")
async def memory(hs: Engine, user: Person) -> dict[str, Any]:
    """Rules, identity, facts and long-term memory, line by line with where each came from."""
    layers = hs.memory.layers
    return {
        "folder": str(layers.folder_of(user)),
        "layers": {
            str(layer): {
                "text": layers.text(user, layer),
                "lines": [
                    {
                        "text": line.text,
                        "day": str(line.day) if line.day else None,
                        "source": line.source,
                    }
                    for line in layers.lines(user, layer)
                ],
            }
            for layer in Layer
        },
        "log": [line.text for line in layers.log(user)],
    }


@router.post("/api/memory", status_code=201)
async def remember(body: StatementBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Remember one statement; rules and facts find their own place."""
    return {"said": hs.memory.remember(user, body.text, "the web app")}


@router.put("/api/memory/{layer}")
async def write(layer: Layer, body: FileBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Replace a whole layer with this text; the file people can edit is the same."""
    hs.memory.layers.write(user, layer, body.text)
    return {"lines": len(hs.memory.layers.lines(user, layer))}


@router.delete("/api/memory")
async def forget(
    hs: Engine, user: Person, about: str = Query(min_length=1, max_length=500)
) -> dict[str, Any]:
    """Forget every line that says this; what went is told."""
    return {"gone": hs.memory.forget(user, about)}


@router.get("/api/memory/search")
async def search(
    hs: Engine,
    user: Person,
    q: str = Query(min_length=1, max_length=4000),
    limit: int = Query(5, ge=1, le=50),
) -> list[dict[str, Any]]:
    """Your earlier exchanges that are near this in meaning or words."""
    return [
        {
            "request": found.exchange.request,
            "answer": found.exchange.answer,
            "session_id": found.exchange.session_id,
            "run_id": found.exchange.run_id,
            "at": found.exchange.at.isoformat(),
            "score": found.score,
        }
        for found in await hs.memory.search(user, q, limit)
    ]


@router.delete("/api/sessions/{session_id}/memory")
async def forget_session(session_id: str, hs: Engine, user: Person) -> dict[str, Any]:
    """Forget what was said in a session."""
    await hs.sessions.get(session_id, user)
    return {"forgotten": await hs.memory.forget_session(user, session_id)}
