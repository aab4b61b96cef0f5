"""Evolution: how suites stand, rounds and what was tried, verdicts, samples, presets."""

from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hammerstone.app.evolution.rounds import EvolveOptions
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy
from hammerstone.learn.evolution.tracks.purse import TrackBudget
from hammerstone.learn.evolution.tracks.track import TrackName
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person
from hammerstone.serve.evolution_view import (
    attempt_json,
    decision_json,
    judged_json,
    round_document,
    round_json,
    sample_json,
    score_json,
    status_document,
    verdict_json,
)

router = APIRouter(tags=["evolution"], responses=ERRORS)


class EvolveBody(BaseModel):
    suite: str = Field(max_length=200)
    tokens: int | None = Field(None, ge=0, le=100_000_000)
    seconds: float | None = Field(None, ge=0, le=86_400)
    usd: float | None = Field(None, ge=0, le=10_000)
    documents: str = Field("", max_length=4_000, description="A folder on the server.")
    program: str = Field("", max_length=4_000, description="A folder there with a program.md.")
    tracks: list[TrackName] = Field(default_factory=list[TrackName], max_length=5)
    review: bool | None = None
    judge_only: bool = False
    check_judge: bool = False
    approve: bool = Field(False, description="Allow what needs a person: training.")


class ReviewBody(BaseModel):
    right: bool


class PresetBody(BaseModel):
    name: Literal["innovate", "harden", "repair-only"]


class JudgeBody(BaseModel):
    last: int = Field(20, ge=1, le=200)


@router.get("/api/evolution")
async def status(hs: Engine) -> dict[str, Any]:
    """How watched suites stand, what may be tried, and how reliable the judges are."""
    return await status_document(hs)


@router.get("/api/evolution/rounds")
async def rounds(
    hs: Engine,
    suite: str | None = Query(None, max_length=200),
    limit: int = Query(50, ge=1, le=500),
) -> list[dict[str, Any]]:
    """Rounds, newest first."""
    return [round_json(row) for row in await hs.evolution.rounds(suite, limit)]


@router.post("/api/evolution/rounds")
async def evolve(body: EvolveBody, hs: Engine, user: Person) -> dict[str, Any]:
    """A round now; it answers when the round has ended, which may take as long as its budget."""
    policy = hs.policies.get(EvolutionPolicy)
    budget = TrackBudget(
        policy.tokens if body.tokens is None else body.tokens,
        policy.seconds if body.seconds is None else body.seconds,
        policy.usd if body.usd is None else body.usd,
    )
    options = EvolveOptions(
        who=user,
        budget=budget,
        documents=Path(body.documents) if body.documents else None,
        program=Path(body.program) if body.program else None,
        tracks=tuple(body.tracks),
        review=body.review,
        judge_only=body.judge_only,
        check_judge=body.check_judge,
        approved_by=user if body.approve else "",
    )
    row = await hs.evolution.run(body.suite, options)
    return await round_document(hs, row.id)


@router.post("/api/evolution/watch/{suite}")
async def watch(suite: str, hs: Engine) -> dict[str, Any]:
    """Look at a suite now and every day from then on: drift, and changes that lost, are noticed."""
    return decision_json(suite, await hs.evolution.watch(suite))


@router.get("/api/evolution/rounds/{round_id}")
async def one_round(round_id: str, hs: Engine) -> dict[str, Any]:
    """A round: the account, what was tried, and every verdict."""
    return await round_document(hs, round_id)


@router.get("/api/evolution/attempts")
async def attempts(hs: Engine, limit: int = Query(200, ge=1, le=1000)) -> list[dict[str, Any]]:
    """Everything that was tried, newest first: kept or reverted, what it cost and gained."""
    return [attempt_json(row) for row in await hs.evolution.attempts(limit)]


@router.get("/api/evolution/scores/{suite}")
async def scores(suite: str, hs: Engine) -> list[dict[str, Any]]:
    """A suite's score over time, oldest first."""
    return [score_json(row) for row in await hs.evolution.scores(suite)]


@router.post("/api/evolution/judge")
async def judge(body: JudgeBody, hs: Engine, user: Person) -> list[dict[str, Any]]:
    """Judge your own last requests."""
    runs = await hs.evolution.recent(user, body.last)
    return [judged_json(run) for run in await hs.evolution.judge(runs)]


@router.get("/api/evolution/verdicts")
async def verdicts(
    hs: Engine, limit: int = Query(50, ge=1, le=1000), failed: bool = False
) -> list[dict[str, Any]]:
    """What the judges said about requests, newest first: score, cause, and what it rests on."""
    rows = await hs.evolution.verdicts_of_requests(limit, failed=failed)
    return [verdict_json(row) for row in rows]


@router.get("/api/evolution/notes")
async def notes(
    hs: Engine, target: str | None = Query(None, max_length=200)
) -> list[dict[str, Any]]:
    """What should be changed about tools and skills."""
    return [
        {
            "kind": row.kind,
            "target": row.target,
            "note": row.note,
            "source": row.source,
            "at": row.at.isoformat(),
        }
        for row in await hs.evolution.notes(target)
    ]


@router.get("/api/evolution/samples")
async def samples(hs: Engine, waiting: bool = True) -> list[dict[str, Any]]:
    """Requests drawn by chance, with the judge's word, for a person to look at."""
    return [await sample_json(hs, row) for row in await hs.evolution.samples(waiting=waiting)]


@router.post("/api/evolution/samples/{sample_id}")
async def review(sample_id: int, body: ReviewBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Your word on a drawn request."""
    row = await hs.evolution.review(max(-1, min(sample_id, 2**31 - 1)), body.right, who=user)
    return await sample_json(hs, row)


@router.put("/api/evolution/preset")
async def preset(body: PresetBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Put a preset in force."""
    await hs.evolution.set_preset(body.name, who=user)
    return await status_document(hs)
