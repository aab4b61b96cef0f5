"""Whether everything is in place, and whether the sandbox holds: looked at now, on this machine."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from hammerstone.app.health.doctor import examine
from hammerstone.core.errors import BadRequest
from hammerstone.sandbox.conformance import FAST, run_probes
from hammerstone.sandbox.opening import open_sandbox
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine

router = APIRouter(tags=["system"], responses=ERRORS)


@router.get("/api/doctor")
async def doctor(hs: Engine) -> list[dict[str, Any]]:
    """What is configured, what is missing, and the command that mends it."""
    return [finding.to_json() for finding in await examine(hs.settings)]


@router.post("/api/sandbox/check")
async def check(request: Request, hs: Engine, fast: bool = True) -> dict[str, Any]:
    """Attack the sandbox, and say what stopped each attack.

    `fast` are the attacks that also run at each start; all of them take about a minute.
    """
    checking: asyncio.Lock = request.app.state.checking
    if checking.locked():
        raise BadRequest("the sandbox is being checked already", hint="wait for it")
    async with checking, hs.stop.calling():
        sandbox = await open_sandbox(hs.settings)
        try:
            report = await run_probes(sandbox, only=FAST if fast else None)
        finally:
            await sandbox.close()
    breaches = [result.name for result in report.breaches]
    return {**report.to_json(), "breaches": breaches, "holds": not breaches}
