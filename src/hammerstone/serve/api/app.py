"""The web application: routes, errors, and the engine's life."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.present import trace_document, trace_summary
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import Settings
from hammerstone.run.parts import RoleModels
from hammerstone.serve.api.docs import docs_page
from hammerstone.serve.api.doors import Doors
from hammerstone.serve.api.live import router as live_router

_STATUS = {
    "bad_request": 422,
    "not_found": 404,
    "budget_exceeded": 402,
    "refused": 403,
    "model_missing": 503,
    "model_unavailable": 503,
    "sandbox_refused": 503,
    "sandbox_lost": 503,
}

router = APIRouter()


class AskBody(BaseModel):
    text: str = Field(description="What you want to know.")
    session: str | None = Field(None, description="Go on in this session.", max_length=100)


class CostBody(BaseModel):
    tokens: int
    usd: float
    seconds: float
    model_calls: int


class AnswerBody(BaseModel):
    text: str
    result: Any
    tool: str | None
    version: int | None
    confidence: float | None
    cached: bool
    cost: CostBody
    trace_id: str
    status: str
    session_id: str
    run_id: str


class ErrorBody(BaseModel):
    code: str
    message: str
    hint: str = ""


class ErrorAnswer(BaseModel):
    error: ErrorBody


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorAnswer} for code in (400, 401, 402, 403, 404, 413, 415, 422, 500, 503)
}


def engine(request: Request) -> Hammerstone:
    return request.app.state.engine


Engine = Annotated[Hammerstone, Depends(engine)]


@router.get("/", response_class=HTMLResponse, include_in_schema=False)
async def page() -> str:
    return resources.files("hammerstone.serve").joinpath("web/index.html").read_text("utf-8")


@router.get("/docs", response_class=HTMLResponse, include_in_schema=False)
async def docs(request: Request) -> str:
    return docs_page(request.app.openapi())


@router.get("/health", responses=ERRORS)
async def health(hs: Engine) -> dict[str, Any]:
    """Whether the engine answers, and what it runs on."""
    return await hs.health()


@router.get("/metrics", response_class=PlainTextResponse, responses=ERRORS)
async def metrics(hs: Engine) -> str:
    """What this process has counted, in Prometheus' text format."""
    return await hs.metrics()


@router.post("/api/ask", responses=ERRORS)
async def ask(body: AskBody, hs: Engine) -> AnswerBody:
    """Answer one request; the steps on the way are on the WebSocket `/ws` instead."""
    answer = await hs.ask(body.text, session=body.session)
    return AnswerBody.model_validate(answer.to_json())


@router.get("/api/tools", responses=ERRORS)
async def tools(hs: Engine) -> list[dict[str, Any]]:
    """Every tool with its standing and use."""
    return [
        {
            "name": tool.name,
            "description": tool.version.spec.description,
            "version": tool.version.number,
            "status": str(tool.status),
            "confidence": tool.confidence,
            "uses": tool.uses,
        }
        for tool in await hs.tools.list()
    ]


@router.get("/api/tools/{name}", responses=ERRORS)
async def tool(name: str, hs: Engine) -> dict[str, Any]:
    """One tool: promise, code, versions."""
    found = await hs.tools.get(name)
    spec = found.version.spec
    return {
        "name": found.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "returns": spec.returns,
        "effect": str(spec.effect),
        "version": found.version.number,
        "status": str(found.status),
        "confidence": found.confidence,
        "code": found.version.code,
        "versions": [one.number for one in await hs.tools.versions(name)],
    }


@router.get("/api/traces", responses=ERRORS)
async def traces(
    hs: Engine, status: str | None = None, user: str | None = None, limit: int = 20
) -> list[dict[str, Any]]:
    """The newest traces first."""
    rows = await hs.traces.list(user, status, max(1, min(limit, 1000)))
    return [trace_summary(row) for row in rows]


@router.get("/api/traces/{trace_id}", responses=ERRORS)
async def trace(trace_id: str, hs: Engine) -> dict[str, Any]:
    """One trace with all its spans."""
    return trace_document(*await hs.traces.get(trace_id))


def create_app(settings: Settings, models: RoleModels | None = None) -> FastAPI:
    """The application; the engine opens when it starts and closes when it stops."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        async with Hammerstone.open(settings, models=models) as hs:
            app.state.engine = hs
            yield

    app = FastAPI(
        title="Hammerstone",
        version=version("hammerstone"),
        summary="An agent that builds, proves and reuses its own tools.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(router)
    app.include_router(live_router)
    app.add_exception_handler(HammerstoneError, _explain)
    app.add_middleware(Doors, settings=settings)
    return app


async def _explain(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HammerstoneError)
    return JSONResponse(error_document(error), status_code=_STATUS.get(error.code, 500))


def error_document(error: HammerstoneError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
