"""The library and the policies as files: out, and in again with proof."""

import asyncio
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from hammerstone.core.errors import BadRequest
from hammerstone.library.tools.registry import HIDDEN
from hammerstone.serve.api.archives import pack, unpack
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.files import GivenFiles
from hammerstone.serve.api.people import Engine, Person
from hammerstone.serve.api.routes.system import known_policy

router = APIRouter(tags=["exchange"], responses=ERRORS)


class TakeInBody(BaseModel):
    file: str = Field(
        max_length=200, description="Name of a zip file given before (PUT /api/files/NAME)."
    )
    dry_run: bool = Field(True, description="Only say what would change.")


class PoliciesBody(BaseModel):
    policies: dict[str, dict[str, Any]] = Field(description="By name, as exported.")
    why: str = Field("imported", min_length=1, max_length=1000)
    dry_run: bool = Field(True, description="Only say what would change.")


@router.get(
    "/api/export/library",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}}},
)
async def export_library(hs: Engine, user: Person) -> Response:
    """Every tool in use as plain files, zipped: what `hammerstone tools export` writes.

    What other people asked, and the values in their tools' cases, are left out.
    """
    used = [tool for tool in await hs.tools.list() if tool.status not in HIDDEN]
    tools = [await hs.sharing.tool_for(tool, user) for tool in used]
    content = await asyncio.to_thread(pack, tools)
    name = 'attachment; filename="hammerstone-library.zip"'
    return Response(content, media_type="application/zip", headers={"content-disposition": name})


@router.post("/api/import/library")
async def import_library(
    body: TakeInBody, request: Request, hs: Engine, user: Person
) -> dict[str, Any]:
    """Take tools in from such a zip file; each is proved in the sandbox before it is used."""
    given: GivenFiles = request.app.state.files
    (path,) = given.paths(user, [body.file])
    with tempfile.TemporaryDirectory(prefix="hammerstone-import-") as folder:
        content = await asyncio.to_thread(path.read_bytes)
        names = await asyncio.to_thread(unpack, content, Path(folder))
        report = await hs.library.sync(Path(folder), dry_run=body.dry_run, who=user)
    wanted = set(names)
    entries = [entry for entry in report.entries if entry.name in wanted]
    return {
        "dry_run": body.dry_run,
        "tools": [
            {"name": one.name, "action": str(one.action), "details": list(one.details)}
            for one in entries
        ],
    }


@router.get("/api/export/policies")
async def export_policies(hs: Engine) -> dict[str, Any]:
    """The policies in force, as one document that can be imported elsewhere."""
    await hs.policies.load()
    return {"policies": {kind.name: asdict(hs.policies.get(kind)) for kind in hs.policies.kinds}}


@router.post("/api/import/policies")
async def import_policies(body: PoliciesBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Put policies of such a document in force, each change as a version that can be undone."""
    await hs.policies.load()
    changed: dict[str, dict[str, Any]] = {}
    for name, values in body.policies.items():
        now = asdict(hs.policies.get(known_policy(hs, name)))
        for key in values:
            if key not in now:
                raise BadRequest(f"policy {name} has no {key!r}", hint=", ".join(now))
        different = {key: value for key, value in values.items() if now[key] != value}
        if different:
            hs.policies.check(name, different)
            changed[name] = different
    if not body.dry_run:
        for name, values in changed.items():
            await hs.policies.change(name, values, who=user, why=body.why)
    return {"dry_run": body.dry_run, "changed": changed}
