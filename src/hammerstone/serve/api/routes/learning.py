"""What was learned: the ledger, proposals, a round, taking it back; and the calibration."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from hammerstone.app.questions.feedback import UNSTATED
from hammerstone.core.errors import BadRequest
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person, Runs

router = APIRouter(tags=["learning"], responses=ERRORS)


class UndoBody(BaseModel):
    why: str = Field("", max_length=500)
    with_dependents: bool = Field(False, description="Also undo what builds on it, in order.")


class DecideBody(BaseModel):
    approve: bool
    why: str = Field("", max_length=500)


class RoundBody(BaseModel):
    dry_run: bool = Field(True, description="Only say what would change.")


class SaidBody(BaseModel):
    right: bool = Field(description="Whether the run's result is right.")
    expected: Any = Field(None, description="The right result; left out where you do not know.")
    step: int | None = Field(None, ge=1, description="One call of several, from 1.")


@router.get("/api/ledger")
async def ledger(hs: Engine, user: Person, every: bool = False) -> list[dict[str, Any]]:
    """Everything learned that is in force; with `every`, also what was refused or undone."""
    return [dict(lesson) for lesson in await hs.lessons.ledger(user, every=every)]


@router.post("/api/ledger/{lesson_id}/undo")
async def undo(lesson_id: str, body: UndoBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Take a lesson back; refused with a list when others build on it, unless they go too."""
    done = await hs.learning.gate.undo(
        lesson_id, who=user, why=body.why, cascade=body.with_dependents
    )
    return {"done": done}


@router.get("/api/proposals")
async def proposals(hs: Engine, user: Person, status: str | None = None) -> list[dict[str, Any]]:
    """Changes that were suggested, newest first."""
    rows = await hs.lessons.proposals(user, [status] if status else [])
    return [
        {
            "id": row.id,
            "kind": row.kind,
            "target": row.target,
            "title": row.title,
            "status": row.status,
            "decision": row.decision,
            "created_at": row.created_at.isoformat(),
        }
        for row in rows
    ]


@router.get("/api/proposals/{proposal_id}")
async def proposal(proposal_id: str, hs: Engine, user: Person) -> dict[str, Any]:
    """One proposal with its preview, its evidence, every decision, and what builds on it."""
    return await hs.lessons.proposal(proposal_id, user)


@router.post("/api/proposals/{proposal_id}")
async def decide(proposal_id: str, body: DecideBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Approve or refuse what waits; evidence against a change still counts."""
    gate = hs.learning.gate
    if body.approve:
        decided = await gate.approve(proposal_id, who=user)
    else:
        decided = await gate.refuse(proposal_id, who=user, why=body.why or "a person refused it")
    return {"id": decided.id, "standing": str(decided.standing), "reason": decided.reason}


@router.post("/api/learn")
async def learn(body: RoundBody, hs: Engine) -> dict[str, Any]:
    """One round of learning now: mine, compose, watch, mend. A dry run only tells."""
    return await hs.learning.run(dry_run=body.dry_run)


@router.post("/api/tools/{name}/repair")
async def repair(name: str, hs: Engine) -> dict[str, Any]:
    """Look into a tool's recorded failures and mend it if that can be proved."""
    mending = await hs.learning.repair(name)
    return {"outcome": mending.outcome, "reason": mending.reason}


@router.post("/api/runs/{run_id}/feedback")
async def feedback(
    run_id: str, body: SaidBody, hs: Engine, user: Person, runs: Runs
) -> dict[str, Any]:
    """Say whether a run's result is right, and what is right where it is not.

    A stated value is a case of the tool: a repair starts with it before this answers, which
    may take a minute. `said` is what came of it in words, `outcome` in one.
    """
    run, _ = await hs.sessions.run(run_id, user)
    stated = body.expected is not None
    if body.right and stated:
        raise BadRequest("a right result needs no `expected`")
    where: dict[str, Any] = {"run": run_id, "user": user, "step": body.step}
    if body.right:
        reply = await hs.feedback.right(**where)
    else:
        reply = await hs.feedback.wrong(body.expected if stated else UNSTATED, **where)
    said = {"right": body.right, "value": body.expected}
    await runs.announce(user, run.session_id, "judged", run_id=run_id, feedback=said)
    return {"said": reply.text, **reply.to_json()}


@router.get("/api/calibration")
async def calibration(hs: Engine) -> dict[str, Any]:
    """The confidence of the tools built here beside what they turned out to be.

    Counts by tenths of the confidence, for the library and for each model, and how the shipped
    calibration is adjusted by them; no tool and no person is named.
    """
    return (await hs.outcomes.report()).to_json()
