"""Questions about experimental tools: which wait, the one for now, and what is answered."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from hammerstone.core.errors import BadRequest
from hammerstone.core.people import Right
from hammerstone.serve.api.bodies import ERRORS
from hammerstone.serve.api.people import Asking, Engine, Person

router = APIRouter(tags=["questions"], responses=ERRORS)


class QuestionBody(BaseModel):
    tool: str
    version: int
    text: str = Field(description="The question in words.")
    call: str
    choices: list[str] = Field(description="The two results, the leading one first.")
    confidence: float | None = Field(description="The chance that the tool is right now.")
    uses: int
    own: bool = Field(description="You used the tool, or it was made for your request.")


class DueBody(BaseModel):
    question: QuestionBody | None


class ToolAnswerBody(BaseModel):
    """One of `choice`, `value` and `later`."""

    choice: int | None = Field(None, ge=1, le=2, description="Which of the two is right.")
    value: str | None = Field(
        None, max_length=10_000, description="Another value, as one would type it."
    )
    later: Literal["some_day", "never"] | None = Field(
        None, description="Leave it open: it comes again after some days, or never."
    )


class OutcomeBody(BaseModel):
    tool: str
    effect: str = Field(
        description="verified, experimental, retired, known, contradicted, put_off or dropped."
    )
    text: str = Field(description="What came of it, in one sentence.")
    status: str
    confidence: float | None


@router.get("/api/questions")
async def questions(hs: Engine, caller: Asking) -> list[QuestionBody]:
    """What would help experimental tools most, from you; the one worth most first."""
    waiting = await hs.questions.waiting(caller.name) if caller.may(Right.BUILD) else []
    return [QuestionBody.model_validate(one.to_json()) for one in waiting]


@router.post("/api/questions")
async def due(hs: Engine, caller: Asking) -> DueBody:
    """The question to ask now, which counts as asked: one a day at most, else null."""
    found = await hs.questions.due(caller.name) if caller.may(Right.BUILD) else None
    return DueBody(question=QuestionBody.model_validate(found.to_json()) if found else None)


@router.post("/api/questions/{tool}")
async def answer(tool: str, body: ToolAnswerBody, hs: Engine, user: Person) -> OutcomeBody:
    """Say what is right; the tool is examined again with it, which may take a while."""
    if sum(one is not None for one in (body.choice, body.value, body.later)) != 1:
        raise BadRequest("one of `choice`, `value` and `later` is needed")
    if body.later is not None:
        reply = await hs.questions.put_off(tool, user=user, for_good=body.later == "never")
    else:
        reply = await hs.questions.answer(tool, choice=body.choice, value=body.value, user=user)
    return OutcomeBody.model_validate(reply.to_json())
