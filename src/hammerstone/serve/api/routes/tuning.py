"""Jobs between requests, labels of decisions, and tuning."""

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from hammerstone.app.words.tool_words import sign_words
from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Engine, Person

router = APIRouter(tags=["learning"], responses=ERRORS)

Question = Literal["tool", "answer"]


class LabelBody(BaseModel):
    right: bool = Field(description="Whether the decision was right.")
    tool: str = Field("", max_length=200, description="The tool that is right instead.")
    what: Question = "tool"


class TuneBody(BaseModel):
    knobs: list[str] = Field(default_factory=list, max_length=50, description="All without one.")
    dry_run: bool = Field(True, description="Only say what would change.")


@router.get("/api/jobs")
async def jobs(hs: Engine) -> list[dict[str, Any]]:
    """What runs between requests: last and next turn, cost, savings and pace."""
    return [dict(one.to_json()) for one in await hs.learning.jobs.standings()]


@router.get("/api/labels")
async def labels(
    hs: Engine, user: Person, what: Question = "tool", every: bool = False
) -> list[dict[str, Any]]:
    """Your decisions whose label would help most; with `every`, the last fifty."""
    look = hs.labels.list if every else hs.labels.queue
    return [_shown(label) for label in await look(user=user, what=what)]


def _shown(label: DecisionLabel) -> dict[str, Any]:
    """A label with its signals in words."""
    document: dict[str, Any] = label.to_json()
    signals = [{**one, "words": sign_words(one["kind"])} for one in document["signals"]]
    return {**document, "signals": signals}


@router.post("/api/labels/{decision_id}")
async def label(decision_id: str, body: LabelBody, hs: Engine, user: Person) -> dict[str, Any]:
    """Say whether one of your decisions was right, and which tool is where it was not."""
    given = await hs.labels.set(decision_id, body.right, tool=body.tool, what=body.what, user=user)
    return _shown(given)


@router.get("/api/tuning")
async def tuning(hs: Engine) -> dict[str, Any]:
    """What can be tuned, the values in force, and past studies, newest first."""
    return {"knobs": hs.tuning.show(), "studies": await hs.tuning.past(), "note": hs.tuning.method}


@router.get("/api/tuning/{study_id}")
async def trials(study_id: str, hs: Engine) -> list[dict[str, Any]]:
    """What a study tried, each with its score on the earlier decisions."""
    return [dict(one) for one in await hs.tuning.trials(study_id)]


@router.post("/api/tuning")
async def tune(body: TuneBody, hs: Engine) -> list[dict[str, Any]]:
    """Look for better values now; what surely helps is proposed. A dry run only tells."""
    async with hs.stop.calling():
        done = await hs.tuning.run(body.knobs, dry_run=body.dry_run)
    return [dict(one.to_json()) for one in done]
