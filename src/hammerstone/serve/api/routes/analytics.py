"""What use has taught: relationships, patterns, sessions, and numbers over time."""

from typing import Any

from fastapi import APIRouter, Query

from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(prefix="/api/analytics", tags=["analytics"], responses=ERRORS)


@router.get("/relationships")
async def relationships(
    hs: Engine,
    user: Person,
    tool_name: str | None = Query(None, max_length=200),
    min_confidence: float = Query(0.0, ge=0.0, le=1.0),
) -> list[dict[str, Any]]:
    """Which tool follows which, and how sure that is."""
    return await hs.analytics.relationships(user, tool_name, min_confidence)


@router.get("/patterns")
async def patterns(
    hs: Engine,
    min_frequency: int = Query(1, ge=1, le=1_000_000),
    limit: int = Query(100, ge=1, le=1000),
) -> list[dict[str, Any]]:
    """Sequences of tools that came again, the most frequent first."""
    return await hs.analytics.patterns(min_frequency, limit)


@router.get("/sessions/{session_id}")
async def session(
    session_id: str, hs: Engine, user: Person, limit: int = Query(100, ge=1, le=1000)
) -> dict[str, Any]:
    """The calls of a session, newest first, with where each argument came from."""
    calls = await hs.sessions.executions(session_id, user, limit)
    return {
        "session_id": session_id,
        "executions": [
            {
                "run_id": call.run_id,
                "number": call.number,
                "tool": call.tool,
                "arguments": call.arguments,
                "result": call.result,
                "ok": call.ok,
                "error": call.error,
                "seconds": call.seconds,
                "cached": call.cached,
                "sources": dict(call.sources),
                "at": call.at.isoformat(),
            }
            for call in calls
        ],
    }


@router.get("/stats")
async def stats(hs: Engine, days: float = Query(7.0, gt=0, le=3650)) -> dict[str, Any]:
    """Calls, tokens, price, latency and cache hits, from the stored traces."""
    return await hs.stats(days)


@router.get("/progress")
async def progress(
    hs: Engine, user: Person, days: float = Query(7.0, gt=0, le=3650)
) -> dict[str, Any]:
    """How answering gets cheaper: reuse, cache hits, model calls and success over time."""
    return await hs.analytics.progress(user, days)
