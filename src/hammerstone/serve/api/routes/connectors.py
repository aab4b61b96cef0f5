"""The ways to the outside: what they offer and whether they can be reached."""

from typing import Any

from fastapi import APIRouter

from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine

router = APIRouter(tags=["safety"], responses=ERRORS)


@router.get("/api/connectors")
async def connectors(hs: Engine) -> dict[str, Any]:
    """Each connector with what is wrong with it (empty: nothing), and everything offered."""
    return {
        "connectors": await hs.connectors.check(),
        "offers": [
            {
                "name": offer.name,
                "description": offer.description,
                "effect": str(offer.effect),
                "parameters": offer.parameters,
            }
            for offer in await hs.connectors.offers()
        ],
    }
