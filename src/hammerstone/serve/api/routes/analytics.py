"""What use has taught: relationships, patterns, sessions, and numbers over time."""

from typing import Any

from fastapi import APIRouter, Query

from hammerstone.core.errors import Refused
from hammerstone.core.people import RIGHTS, Right
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Asking, Engine, Person

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


@router.get("/learning")
async def learning(
    hs: Engine,
    caller: Asking,
    days: int = Query(28, ge=1, le=365),
    person: str | None = Query(None, max_length=200, description="Another person: owners only."),
    everybody: bool = Query(False, description="All people's requests: owners only."),
) -> dict[str, Any]:
    """How learning goes day by day: success, reuse, right tools, repairs, patterns, changes."""
    others = everybody or person not in (None, caller.name)
    if others and Right.GOVERN not in RIGHTS[caller.role]:
        raise Refused("only an owner sees other people's numbers", hint="leave out `person`")
    whose = None if everybody else person or caller.name
    return await hs.learning_metrics.over_time(whose, days)


@router.get("/progress")
async def progress(
    hs: Engine, user: Person, days: float = Query(7.0, gt=0, le=3650)
) -> dict[str, Any]:
    """How answering gets cheaper: reuse, cache hits, model calls and success over time."""
    return await hs.analytics.progress(user, days)
