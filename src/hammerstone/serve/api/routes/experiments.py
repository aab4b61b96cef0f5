"""Experiments: variants of policies or prompts side by side, with what is known of each."""

from typing import Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hammerstone.app.learning.experiments import plan_of
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(prefix="/api/experiments", tags=["experiments"], responses=ERRORS)


class ExperimentBody(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    variants: dict[str, dict[str, Any]] = Field(
        description="For each variant its changes by knob: `fit.high`, or `prompt/solve`.",
        min_length=1,
        max_length=20,
    )
    metric: str = Field("success", max_length=50)
    guards: list[str] | None = Field(
        None, max_length=8, description="What may not get worse; success if nothing is said."
    )
    minimum_effect: float = Field(0.0, ge=0.0, description="The least gain worth having.")
    max_days: int | None = Field(None, ge=1, le=365)


class StopExperimentBody(BaseModel):
    why: str = Field("", max_length=1000)


@router.get("")
async def experiments(hs: Engine, limit: int = Query(50, ge=1, le=500)) -> list[dict[str, Any]]:
    """All experiments, newest first."""
    return [one.to_json() for one in await hs.experiments.list(limit)]


@router.post("", status_code=201)
async def start(body: ExperimentBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Start one. What is in force now is a variant of it, by itself."""
    plan = plan_of(hs.policies, body.metric, body.guards, body.minimum_effect, body.max_days)
    made = await hs.experiments.start(body.title, body.variants, plan, who=user)
    return made.to_json()


@router.get("/{experiment_id}")
async def experiment(experiment_id: str, hs: Engine) -> dict[str, Any]:
    """One experiment: its variants, what is known now, and what was known on each day."""
    return await hs.experiments.document(experiment_id)


@router.post("/{experiment_id}/stop")
async def stop(
    experiment_id: str, hs: Engine, user: Person, body: StopExperimentBody | None = None
) -> dict[str, Any]:
    """End one; what is in force stays in force."""
    ended = await hs.experiments.stop(experiment_id, who=user, why=body.why if body else "")
    return ended.to_json()
