"""Health, workers, metrics, what is in place, policies and settings."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from hammerstone.app.health.doctor import examine
from hammerstone.app.words.policy_words import WORDS
from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.people import RIGHTS
from hammerstone.library.policies.aliases import aliases_of
from hammerstone.library.policies.policy_changes import range_of
from hammerstone.sandbox.conformance import FAST, run_probes
from hammerstone.sandbox.opening import open_sandbox
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Asking, Engine, Person

router = APIRouter(tags=["system"], responses=ERRORS)


class PolicyBody(BaseModel):
    values: dict[str, Any] = Field(description="The numbers to change; the others stay.")
    why: str = Field(min_length=1, max_length=1000, description="Kept with the change.")


class RestoreBody(BaseModel):
    number: int = Field(ge=1)


class QueueBody(BaseModel):
    waiting: int
    held: int = Field(description="Claimed by a process, which works on it.")


class WorkersBody(BaseModel):
    runs_on: str = Field(description="`server`, or `workers`: who answers what is asked here.")
    here: dict[str, int] = Field(description="Requests that this process answers, and that wait.")
    workers: list[dict[str, Any]]
    queues: dict[str, QueueBody] = Field(description="By kind: run, proof, learning, trigger.")


@router.get("/health")
async def health(hs: Engine) -> dict[str, Any]:
    """Whether the engine answers, and what it runs on."""
    return await hs.health()


@router.get("/live")
async def live() -> dict[str, bool]:
    """Whether the process answers; nothing else is looked at, and no token is needed."""
    return {"live": True}


@router.get("/ready", responses={503: {"description": "Send requests elsewhere for now."}})
async def ready(
    hs: Engine,
    response: Response,
    model: Annotated[bool, Query(description="Only where the model can be reached.")] = False,
) -> dict[str, Any]:
    """Whether requests can be taken: the database, the sandbox, the model. No token is needed, so
    it says yes or no and nothing else."""
    found = await hs.readiness.look(model=model)
    response.status_code = 200 if found.ready else 503
    return found.to_json()


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(hs: Engine) -> Response:
    """What this process has counted, in Prometheus' text format."""
    return PlainTextResponse(await hs.metrics())


@router.get("/api/settings")
async def settings(hs: Engine, caller: Asking) -> dict[str, Any]:
    """Which model does what, where things run. Never a key or a token."""
    now = hs.settings
    return {
        "user": caller.name,
        "role": str(caller.role),
        "rights": sorted(RIGHTS[caller.role]),
        "models": {str(role): now.model_for(role) for role in Role},
        "choices": now.configured_models,
        "embedder": now.embedder,
        "sandbox": now.sandbox,
        "data_dir": str(now.data_dir),
    }


@router.get("/api/workers")
async def workers(hs: Engine) -> WorkersBody:
    """The workers that gave a sign of life lately, what each does, and how much waits."""
    answered, waiting = hs.turns.counts
    here = {"answered": answered, "waiting": waiting}
    shown: Any = await hs.workers.show()
    return WorkersBody(runs_on=hs.settings.runs_on, here=here, **shown)


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


@router.get("/api/policies")
async def policies(hs: Engine) -> dict[str, Any]:
    """The policies in force, with their defaults, and what each number means and may be."""
    await hs.policies.load()
    return {kind.name: _policy(hs, kind) for kind in hs.policies.kinds}


def _policy(hs: Any, kind: Any) -> dict[str, Any]:
    words, defaults = WORDS[kind.name], asdict(kind())
    return {
        "title": words.title,
        "group": words.group,
        "about": (kind.__doc__ or "").strip(),
        "values": asdict(hs.policies.get(kind)),
        "defaults": defaults,
        "fields": {
            name: {
                "about": words.fields[name],
                "range": list(range_of(kind, name)),
                "aliases": aliases_of(kind.name, name),
            }
            for name in defaults
        },
    }


@router.get("/api/policies/{name}")
async def policy(name: str, hs: Engine) -> dict[str, Any]:
    """One policy, also by another name that people know it by: what is in force."""
    await hs.policies.load()
    known_policy(hs, name)
    return hs.policies.values_of(name)


@router.get("/api/policies/{name}/diff")
async def diff(
    name: str, hs: Engine, old: int = Query(0, ge=0), new: int | None = Query(None, ge=0)
) -> dict[str, Any]:
    """What differs between two versions; 0 are the defaults, and what is in force the last."""
    known_policy(hs, name)
    return (await hs.policies.diff(name, old, new)).to_json()


@router.get("/api/policies/{name}/history")
async def history(name: str, hs: Engine) -> list[dict[str, Any]]:
    """Every version of a policy, oldest first."""
    known_policy(hs, name)
    return [
        {
            "number": row.number,
            "value": row.value,
            "who": row.who,
            "why": row.why,
            "at": row.at.isoformat(),
            "evidence": dict(row.evidence),
        }
        for row in await hs.policies.history(name)
    ]


@router.put("/api/policies/{name}")
async def change(name: str, body: PolicyBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Put a new version of a policy in force; the old one can be restored."""
    kind = known_policy(hs, name)
    await hs.policies.change(name, body.values, who=user, why=body.why)
    return asdict(hs.policies.get(kind))


@router.post("/api/policies/{name}/restore")
async def restore(name: str, body: RestoreBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Put an earlier version in force again, as a new one."""
    kind = known_policy(hs, name)
    await hs.policies.restore(name, body.number, who=user)
    return asdict(hs.policies.get(kind))


@router.post("/api/policies/{name}/rollback")
async def rollback(name: str, hs: Engine, user: Person) -> dict[str, Any]:
    """Put the version before the one in force again."""
    kind = known_policy(hs, name)
    await hs.policies.rollback(name, who=user)
    return asdict(hs.policies.get(kind))


def known_policy(hs: Any, name: str) -> Any:
    """The policy of a name or an alias; raises `NotFound`."""
    try:
        return hs.policies.kind_named(name)
    except BadRequest:
        raise NotFound(f"there is no policy {name!r}", hint="see /api/policies") from None
