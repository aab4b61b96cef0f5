"""What waits for a person's word, and the switch that stops everything."""

from typing import Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from hammerstone.core.approvals import QUESTION, ApprovalScope
from hammerstone.core.errors import BadRequest
from hammerstone.core.people import Caller, Right
from hammerstone.serve.api.bodies import ERRORS, approval_document
from hammerstone.serve.api.people import TARGET, Asking, Engine, Person, Runs

router = APIRouter(tags=["safety"], responses=ERRORS)


class DecisionBody(BaseModel):
    given: bool | None = Field(None, description="Whether the action may happen.")
    scope: ApprovalScope = Field(ApprovalScope.ONCE, description="How far a yes reaches.")
    answer: str | None = Field(None, max_length=2000, description="The answer to a question.")


class StopBody(BaseModel):
    scope: Literal["run", "session", "all"]
    target: str = Field("", max_length=100)
    why: str = Field("", max_length=500)


@router.get("/api/approvals")
async def approvals(
    hs: Engine, user: Person, pending: bool = True, limit: int = Query(50, ge=1, le=500)
) -> list[dict[str, Any]]:
    """What waits for your word, newest first.

    `words` say what an action would do, `whole` is all that it is given, uncut.
    """
    found = await hs.approvals.list(user, pending=pending, limit=limit)
    return [approval_document(approval) for approval in found]


@router.post("/api/approvals/{approval_id}")
async def decide(
    approval_id: str, body: DecisionBody, hs: Engine, caller: Asking, runs: Runs
) -> dict[str, Any]:
    """Give or refuse leave, or answer a question; the first decision counts."""
    user = caller.name
    asked = await hs.approvals.get(approval_id, user=user)
    if asked.kind == QUESTION:
        if body.answer is None:
            raise BadRequest("that is a question: `answer` is missing")
        return (await hs.approvals.answer(asked.id, body.answer, who=user, user=user)).to_json()
    if body.given is None:
        raise BadRequest("`given` is missing: true or false")
    if body.given:
        caller.require(Right.BUILD, "allow actions")
        decided = await hs.approvals.give(asked.id, who=user, user=user, scope=body.scope)
    else:
        decided = await hs.approvals.refuse(asked.id, who=user, user=user)
    hs.waking.look()  # its run may have been broken off while it waited
    await runs.announce(user, asked.session_id, "decided", approval=asked.id)
    return decided.to_json()


@router.get("/api/stops")
async def stops(hs: Engine, user: Person) -> list[dict[str, Any]]:
    """What is stopped now: everything, or what is yours."""
    return [
        {
            "scope": stop.scope,
            "target": stop.target,
            "at": stop.at.isoformat(),
            "who": stop.who,
            "why": stop.why,
        }
        for stop in await hs.stop.list()
        if stop.scope == "all" or stop.who == user
    ]


@router.post("/api/stops", status_code=201)
async def stop(
    body: StopBody, request: Request, hs: Engine, caller: Asking
) -> list[dict[str, Any]]:
    """Stop a run, a session or (an owner) everything; it stays stopped until it is resumed."""
    request.scope[TARGET] = f"{body.scope} {body.target}".strip()
    await _own(hs, body.scope, body.target, caller)
    await hs.stop.stop(body.scope, body.target, who=caller.name, why=body.why)
    return await stops(hs, caller.name)


@router.delete("/api/stops")
async def resume(
    request: Request,
    hs: Engine,
    caller: Asking,
    scope: Literal["run", "session", "all"] = "all",
    target: str = Query("", max_length=100),
) -> list[dict[str, Any]]:
    """Let it go on."""
    request.scope[TARGET] = f"{scope} {target}".strip()
    await _own(hs, scope, target, caller)
    await hs.stop.resume(scope, target)
    return await stops(hs, caller.name)


async def _own(hs: Any, scope: str, target: str, caller: Caller) -> None:
    """A run or a session is stopped by whose it is, everything by an owner."""
    if scope == "all":
        caller.require(Right.GOVERN, "stop or resume everything")
    elif scope == "session":
        await hs.sessions.get(target, caller.name)
    else:
        await hs.sessions.run(target, caller.name)
