"""Traces: what happened, step by step."""

from typing import Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hammerstone.app.present import trace_document, trace_summary
from hammerstone.core.errors import NotFound
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["traces"], responses=ERRORS)


@router.get("/api/traces")
async def traces(
    hs: Engine,
    user: Person,
    status: Literal["success", "error", "timeout"] | None = None,
    limit: int = Query(20, ge=1, le=1000),
) -> list[dict[str, Any]]:
    """Your newest traces first."""
    return [trace_summary(row) for row in await hs.traces.list(user, status, limit)]


@router.get("/api/traces/{trace_id}")
async def trace(trace_id: str, hs: Engine, user: Person) -> dict[str, Any]:
    """One trace with all its spans."""
    return trace_document(*await own_trace(hs, trace_id, user))


class ReplayBody(BaseModel):
    tool: str | None = Field(None, max_length=200, description="Which tool to change.")
    version: int | None = Field(None, ge=1, description="Run this version of it instead.")


@router.post("/api/traces/{trace_id}/replay")
async def replay(
    trace_id: str, hs: Engine, user: Person, body: ReplayBody | None = None
) -> dict[str, Any]:
    """Make the trace's calls again without a model, and say where they first differ."""
    row, _spans = await own_trace(hs, trace_id, user)
    wanted = body or ReplayBody(tool=None, version=None)
    done = await hs.traces.replay(row.id, tool=wanted.tool, version=wanted.version)
    return done.to_json()


@router.get("/api/traces/{trace_id}/compare/{other_id}")
async def compare(trace_id: str, other_id: str, hs: Engine, user: Person) -> dict[str, Any]:
    """Where two traces part, and what each cost."""
    left, _ = await own_trace(hs, trace_id, user)
    right, _ = await own_trace(hs, other_id, user)
    return (await hs.traces.compare(left.id, right.id)).to_json()


async def own_trace(hs: Any, trace_id: str, user: str) -> Any:
    row, spans = await hs.traces.get(trace_id)
    if row.user != user:
        raise NotFound(f"there is no trace {trace_id}", hint="see /api/traces")
    return row, spans
