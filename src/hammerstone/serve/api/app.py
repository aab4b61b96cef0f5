"""The web application: routes, errors, and the engine's life."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import Settings
from hammerstone.core.version import VERSION
from hammerstone.evaluation.evolving.product_bench import ProductBench
from hammerstone.run.services import RoleModels
from hammerstone.serve.api import live
from hammerstone.serve.api.bodies import error_document
from hammerstone.serve.api.doors import AccessChecks
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.protocols import mount_a2a, mount_mcp
from hammerstone.serve.api.routes import (
    analytics,
    approvals,
    asking,
    connectors,
    documents,
    evolution,
    exchange,
    experiments,
    graph,
    learning,
    library,
    memory,
    pages,
    persons,
    prompts,
    questions,
    scoreboard,
    sessions,
    skills,
    system,
    traces,
    triggers,
    tuning,
)
from hammerstone.serve.api.runs import LiveRuns

_STATUS = {
    "bad_request": 422,
    "not_found": 404,
    "budget_exceeded": 402,
    "overloaded": 429,
    "refused": 403,
    "stopped": 403,
    "database_damaged": 503,
    "tool_damaged": 503,
    "model_missing": 503,
    "model_unavailable": 503,
    "sandbox_refused": 503,
    "sandbox_lost": 503,
}
_ROUTERS = (
    asking,
    approvals,
    connectors,
    sessions,
    library,
    graph,
    traces,
    triggers,
    tuning,
    memory,
    documents,
    skills,
    analytics,
    learning,
    evolution,
    prompts,
    scoreboard,
    exchange,
    experiments,
    questions,
    system,
    pages,
    persons,
    live,
)


def create_app(settings: Settings, models: RoleModels | None = None) -> FastAPI:
    """The application; the engine opens when it starts and closes when it stops."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        async with Hammerstone.open(settings, models=models) as hs:
            app.state.engine = hs
            app.state.files = GivenFiles(settings.data_dir / "uploads", settings.max_upload_bytes)
            app.state.documents = GivenFiles(
                settings.data_dir / "documents", settings.max_upload_bytes, None
            )
            app.state.runs = LiveRuns(hs)
            hs.evolution.use_bench(ProductBench(hs))
            hs.proofs.worker.listeners.append(app.state.runs.hear)
            hs.proofs.worker.progress.listeners.append(app.state.runs.show_progress)
            if settings.runs_on == "server":
                hs.proofs.worker.start()
                hs.triggers.driver.start()
                hs.waking.start(app.state.runs.take_up)
            app.state.checking = asyncio.Lock()
            mount_a2a(app, hs)
            try:
                async with mount_mcp(app, hs):
                    yield
            finally:
                await app.state.runs.close()

    app = FastAPI(
        title="Hammerstone",
        version=VERSION,
        summary="An agent that builds, proves and reuses its own tools.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    for module in _ROUTERS:
        app.include_router(module.router)
    app.add_exception_handler(HammerstoneError, _explain)
    app.add_exception_handler(RequestValidationError, _explain_validation)
    app.add_exception_handler(HTTPException, _explain_http)
    app.add_middleware(AccessChecks, settings=settings)
    return app


async def _explain(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HammerstoneError)
    after_s = error.data.get("retry_after_s")
    headers = {} if after_s is None else {"retry-after": str(max(1, round(after_s)))}
    return JSONResponse(error_document(error), _STATUS.get(error.code, 500), headers)


async def _explain_validation(_request: Request, error: Exception) -> JSONResponse:
    """One shape for every error, also for a body that does not fit."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    document = {"code": "bad_request", "message": f"{where}: {first['msg']}", "hint": "see /docs"}
    return JSONResponse({"error": document}, status_code=422)


async def _explain_http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    codes = {404: "not_found", 405: "not_allowed"}
    code = codes.get(error.status_code, "bad_request")
    document = {"code": code, "message": str(error.detail), "hint": "see /docs"}
    return JSONResponse({"error": document}, error.status_code, headers=error.headers)
