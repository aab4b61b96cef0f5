"""Agent Skills: listed short, read whole, found by what they are for."""

from typing import Any

from fastapi import APIRouter, Query

from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["skills"], responses=ERRORS)


@router.get("/api/skills")
async def skills(hs: Engine, user: Person) -> list[dict[str, Any]]:
    """The skills that a person can start, by name and description; the rest only when opened."""
    return [
        {"name": skill.name, "description": skill.description}
        for skill in await hs.skills.list(user)
        if skill.user_invocable
    ]


@router.get("/api/skills/find")
async def find(
    hs: Engine,
    user: Person,
    q: str = Query(min_length=1, max_length=4000),
    limit: int = Query(5, ge=1, le=50),
) -> list[dict[str, Any]]:
    """Skills for a request, best first."""
    hits = await hs.skills.find(q, user, limit)
    return [{"name": h.name, "score": h.score, "probability": h.probability} for h in hits]


@router.get("/api/skills/{name}")
async def skill(name: str, hs: Engine, user: Person) -> dict[str, Any]:
    """One skill with its instructions and the names of its files."""
    opened = await hs.skills.open(name, user)
    return {
        "name": opened.name,
        "description": opened.description,
        "body": opened.body,
        "level": hs.skills.level_of(opened),
        "files": sorted(opened.files),
    }
