"""Proofs that are owed for answers given already."""

from typing import Any

from fastapi import APIRouter

from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["requests"], responses=ERRORS)


@router.get("/api/proofs")
async def proofs(hs: Engine, user: Person) -> list[dict[str, Any]]:
    """The proofs behind your answers that are not done, oldest first.

    How far the proof of one answer is says `proof` at `/api/runs/{run_id}`: pending, proved,
    unproved or none.
    """
    return [dict(one.to_json()) for one in await hs.proofs.owed_to(user)]
