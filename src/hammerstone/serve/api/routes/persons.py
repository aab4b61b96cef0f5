"""People who share this installation: let in, listed, sent away, and what they changed."""

from typing import Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from hammerstone.core.people import PersonRole
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import TARGET, Engine, Person

router = APIRouter(prefix="/api/people", tags=["people"], responses=ERRORS)


class PersonBody(BaseModel):
    name: str = Field(min_length=1, max_length=64)
    role: PersonRole = PersonRole.MEMBER
    days: int | None = Field(None, ge=1, le=3650, description="Good for so long; else for good.")


@router.get("")
async def people(hs: Engine) -> list[dict[str, Any]]:
    """Everybody who may or might come in, with role, last use and expiry; never a token."""
    return [dict(one) for one in await hs.people.documents()]


@router.post("", status_code=201)
async def add(body: PersonBody, request: Request, hs: Engine, user: Person) -> dict[str, Any]:
    """Let somebody in. The token is in this answer and is never shown again."""
    request.scope[TARGET] = f"{body.name} as {body.role}"
    added = await hs.people.add(body.name, body.role, days=body.days, who=user)
    return {**added.person.to_json(added.person.created_at), "token": added.token}


@router.delete("/{name}")
async def revoke(name: str, request: Request, hs: Engine) -> dict[str, Any]:
    """End somebody's token; what it has open ends within a second or two."""
    request.scope[TARGET] = name
    person = await hs.people.revoke(name)
    return {"name": person.name, "standing": "revoked"}


@router.get("/audit")
async def audit(
    hs: Engine,
    limit: int = Query(100, ge=1, le=1000),
    who: str | None = Query(None, max_length=64),
) -> list[dict[str, Any]]:
    """Who changed what is shared, from where, newest first."""
    return [dict(entry.to_json()) for entry in await hs.people.audit(limit, who)]
