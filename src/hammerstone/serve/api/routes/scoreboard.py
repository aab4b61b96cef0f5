"""The scoreboard: recorded evaluations, each with its numbers and its failed cases."""

from typing import Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from hammerstone.evaluation.board.page.page import BoardPage, read_page, render_page
from hammerstone.evaluation.board.scoreboard import run_json
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine

router = APIRouter(tags=["scoreboard"], responses=ERRORS)


@router.get("/api/scoreboard")
async def evaluations(hs: Engine, limit: int = Query(50, ge=1, le=500)) -> list[dict[str, Any]]:
    """The recorded evaluations, newest first."""
    return [dict(run_json(run)) for run in await hs.evaluations.recent(limit)]


@router.get("/api/scoreboard/{run_id}")
async def evaluation(run_id: str, hs: Engine) -> dict[str, Any]:
    """One evaluation: every number, what changed since the one before, and the failed cases."""
    return _document(await read_page(hs, run_id))


def _document(page: BoardPage) -> dict[str, Any]:
    failed = {
        name: [
            {
                "case": one.case,
                "mark": str(one.mark),
                "asked": one.asked,
                "given": one.given,
                "wanted": one.wanted,
                "reason": one.reason,
                "trace_id": one.trace_id,
            }
            for one in cases
        ]
        for name, cases in page.failed.items()
    }
    since = page.since.to_json() if page.since else None
    return {
        **page.board.to_json(),
        "failed_cases": failed,
        "since": since,
        "not_compared": page.not_compared,
    }


# Errors of this route are JSON like all others, so the page is described here alone.
_PAGE: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {}}}}


@router.get("/api/scoreboard/{run_id}/page", response_model=None, responses=_PAGE)
async def page(run_id: str, hs: Engine) -> HTMLResponse:
    """The same as one page that needs nothing else, to keep or to pass on."""
    return HTMLResponse(render_page(await read_page(hs, run_id)))
