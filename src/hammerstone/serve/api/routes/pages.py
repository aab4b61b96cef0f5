"""The web app's own files."""

from importlib import resources
from pathlib import PurePosixPath

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from hammerstone.core.errors import NotFound
from hammerstone.serve.api.docs import docs_page

router = APIRouter(include_in_schema=False)

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@router.get("/")
async def page() -> Response:
    return _asset("index.html")


@router.get("/web/{path:path}")
async def asset(path: str) -> Response:
    return _asset(path)


@router.get("/docs", response_class=HTMLResponse)
async def docs(request: Request) -> str:
    return docs_page(request.app.openapi())


def _asset(path: str) -> Response:
    parts = PurePosixPath(path).parts
    media_type = _TYPES.get(PurePosixPath(path).suffix)
    found = resources.files("hammerstone.serve").joinpath("web")
    if media_type is None or not parts or any(part in ("..", "/", "") for part in parts):
        raise NotFound("there is no such page")
    for part in parts:
        found = found.joinpath(part)
    if not found.is_file():
        raise NotFound("there is no such page")
    kept = "public, max-age=86400" if "vendor" in parts else "no-cache"
    return Response(found.read_bytes(), media_type=media_type, headers={"cache-control": kept})
