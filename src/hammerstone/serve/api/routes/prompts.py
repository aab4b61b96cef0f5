"""Prompts: every version with its scores, what differs, and which one is used."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hammerstone.core.errors import NotFound
from hammerstone.core.prompt_versions import PromptOrigin
from hammerstone.library.prompting.prompt_shelf import described, label
from hammerstone.prompts import shipped, shipped_names
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["prompts"], responses=ERRORS)
Which = Annotated[str, Query(max_length=40, description="A number, `shipped`, or `in-force`.")]


class TextBody(BaseModel):
    text: str = Field(min_length=1, max_length=100_000)
    why: str = Field("", max_length=500)


class BestBody(BaseModel):
    suite: str = Field("", max_length=200)
    model: str = Field("", max_length=200)


@router.get("/api/prompts")
async def prompts(hs: Engine) -> list[dict[str, Any]]:
    """The prompts, what each is for, and whether a text of your own is in force."""
    await hs.policies.load()
    return [
        {"name": name, "own": hs.prompts.own.is_own(name), "purpose": shipped(name).purpose}
        for name in shipped_names()
    ]


@router.get("/api/prompts/{name}")
async def prompt(name: str, hs: Engine) -> list[dict[str, Any]]:
    """The versions of a prompt, each with where it comes from and how it did."""
    await hs.policies.load()
    return [dict(row) for row in await described(hs.prompts, name)]


@router.get("/api/prompts/{name}/text")
async def prompt_text(name: str, hs: Engine, version: Which = "in-force") -> dict[str, Any]:
    """One version's text."""
    found = await hs.prompts.get(name, version)
    return {"version": label(found), "text": found.text}


@router.get("/api/prompts/{name}/diff")
async def prompt_diff(
    name: str, hs: Engine, first: Which = "shipped", second: Which = "in-force"
) -> dict[str, Any]:
    """What differs between two versions, line by line."""
    return {"diff": await hs.prompts.difference(name, first, second)}


@router.post("/api/prompts/{name}/versions")
async def add_version(name: str, body: TextBody, hs: Engine) -> dict[str, Any]:
    """Keep a text as a version without using it."""
    made = await hs.prompts.add(name, body.text, PromptOrigin.PERSON, why=body.why)
    return {"version": label(made)}


@router.delete("/api/prompts/{name}/versions/{version}")
async def remove_version(name: str, version: str, hs: Engine) -> dict[str, Any]:
    """Take a version away that is not in force, with its scores."""
    return {"removed": label(await hs.prompts.remove(name, version))}


@router.post("/api/prompts/{name}/best")
async def use_best(name: str, body: BestBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Use the version with the best score on one suite with one model."""
    found = await hs.prompts.best(name, suite=body.suite, model=body.model)
    if found is None:
        raise NotFound(f"no version of {name} was tried")
    version, score = found
    done = await hs.prompts.use(version, score, who=user)
    return {"version": label(version), "score": score.score, "done": done}


@router.post("/api/prompts/{name}/rollback")
async def rollback(name: str, hs: Engine, user: Person) -> dict[str, Any]:
    """Use the version before the present one again."""
    return {"version": label(await hs.prompts.rollback(name, who=user))}


@router.get("/api/adapters")
async def adapters(hs: Engine) -> dict[str, Any]:
    """The adapters of the embedded model that are kept here, and which one is in use."""
    kept = [
        {"name": one.name, "purposes": list(one.purposes), "made_by": one.made_by}
        for one in hs.adapters.list()
    ]
    return {"active": hs.adapters.active, "adapters": kept}
