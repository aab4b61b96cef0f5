"""Traces: what happened, step by step."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hammerstone.app.present import span_document, trace_document, trace_summary
from hammerstone.app.traces.trace_steps import record_words
from hammerstone.app.traces.trace_tree import tree_document
from hammerstone.core.errors import NotFound
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person
from hammerstone.storage import TraceRow

router = APIRouter(tags=["traces"], responses=ERRORS)


class TraceFilter(BaseModel):
    """Which traces are listed."""

    status: Literal["success", "error", "timeout"] | None = None
    session: str | None = Field(None, max_length=100, description="Only of this session.")
    text: str | None = Field(None, max_length=400, description="Occurs in what was asked.")
    since: datetime | None = None
    limit: int = Field(20, ge=1, le=1000)


@router.get("/api/traces")
async def traces(
    hs: Engine, user: Person, of: Annotated[TraceFilter, Query()]
) -> list[dict[str, Any]]:
    """Your newest traces first."""
    rows = await hs.traces.list(
        user, of.status, of.limit, session=of.session, text=of.text, since=_with_zone(of.since)
    )
    return [trace_summary(row) for row in rows]


def _with_zone(moment: datetime | None) -> datetime | None:
    """A moment without a zone is meant in UTC, as all stored ones are."""
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


@router.get("/api/traces/{trace_id}")
async def trace(trace_id: str, hs: Engine, user: Person) -> dict[str, Any]:
    """One trace with all its spans, and what its run was done with (`record`)."""
    row, spans = await own_trace(hs, trace_id, user)
    return {**trace_document(row, spans), "record": await _record(hs, row)}


@router.get("/api/traces/{trace_id}/tree")
async def tree(
    trace_id: str,
    hs: Engine,
    user: Person,
    find: str = Query("", max_length=200, description="Also say in which spans this occurs."),
) -> dict[str, Any]:
    """The trace for people: what each step was for, equal steps in one row, tokens and price."""
    row, spans = await own_trace(hs, trace_id, user)
    return {
        **trace_summary(row),
        "final_output": row.final_output,
        "record": await _record(hs, row),
        **tree_document(row, spans, find),
    }


async def _record(hs: Any, row: TraceRow) -> dict[str, Any] | None:
    known = await hs.traces.record(row)
    return {**known.to_json(), "words": record_words(known)} if known else None


@router.get("/api/traces/{trace_id}/spans/{span_id}")
async def span(trace_id: str, span_id: str, hs: Engine, user: Person) -> dict[str, Any]:
    """One step with what went in and what came out."""
    _row, spans = await own_trace(hs, trace_id, user)
    for one in spans:
        if one.id == span_id:
            return span_document(one)
    raise NotFound(f"the trace has no step {span_id}", hint=f"see /api/traces/{trace_id}")


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
    """A trace of this person; somebody else's and one that is not there look the same."""
    missing = NotFound(
        "this trace is not yours, or it is not there any more",
        hint="traces are deleted after some weeks; the list shows all that you have",
    )
    try:
        row, spans = await hs.traces.get(trace_id)
    except NotFound:
        raise missing from None
    if row.user != user:
        raise missing
    return row, spans
