"""Workers and the queue."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine

router = APIRouter(tags=["system"], responses=ERRORS)


class QueueBody(BaseModel):
    waiting: int
    held: int = Field(description="Claimed by a process, which works on it.")


class WorkersBody(BaseModel):
    runs_on: str = Field(description="`server`, or `workers`: who answers what is asked here.")
    here: dict[str, int] = Field(description="Requests that this process answers, and that wait.")
    workers: list[dict[str, Any]]
    queues: dict[str, QueueBody] = Field(description="By kind: run, proof, learning, trigger.")


@router.get("/api/workers")
async def workers(hs: Engine) -> WorkersBody:
    """The workers that gave a sign of life lately, what each does, and how much waits."""
    answered, waiting = hs.turns.counts
    here = {"answered": answered, "waiting": waiting}
    shown: Any = await hs.workers.show()
    return WorkersBody(runs_on=hs.settings.runs_on, here=here, **shown)
