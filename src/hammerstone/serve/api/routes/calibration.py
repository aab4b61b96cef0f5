"""Whether the confidence of the tools built here can be believed."""

from typing import Any

from fastapi import APIRouter

from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine

router = APIRouter(tags=["learning"], responses=ERRORS)


@router.get("/api/calibration")
async def calibration(hs: Engine) -> dict[str, Any]:
    """The confidence of the tools built here beside what they turned out to be.

    Counts by tenths of the confidence, for the library and for each model, and how the shipped
    calibration is adjusted by them; no tool and no person is named.
    """
    return (await hs.outcomes.report()).to_json()
