"""What goes in and out, as OpenAPI describes it."""

from typing import Any

from pydantic import BaseModel, Field

from hammerstone.core.answers import Event
from hammerstone.core.approvals import Approval
from hammerstone.core.errors import HammerstoneError
from hammerstone.guard.action_words import action_words, whole_action

RUN_ID = "^[0-9a-f]{32}$"


class AskBody(BaseModel):
    text: str = Field(description="What you want to know.")
    session: str | None = Field(None, description="Go on in this session.", max_length=100)
    files: list[str] = Field(
        default_factory=list, description="Names of files given before (PUT /api/files/NAME)."
    )
    fresh: bool = Field(
        False, description="Answer anew, also where the same words were answered before."
    )
    model: str | None = Field(
        None,
        description="One of the configured models (`choices` of /api/settings).",
        max_length=200,
    )
    run_id: str | None = Field(
        None,
        description="An id of yours, 32 hexadecimal digits. Sent again with it, a request is not "
        "begun again: it is the same run.",
        pattern=RUN_ID,
    )
    wait: bool = Field(False, description="Wait until the tool behind the answer is proved, too.")


class CostBody(BaseModel):
    tokens: int
    usd: float
    seconds: float
    model_calls: int


class AnswerBody(BaseModel, extra="allow"):
    text: str
    result: Any
    tool: str | None
    version: int | None
    confidence: float | None = Field(description="The chance that this answer is right.")
    sureness: str | None = Field(None, description="sure, likely or unsure.")
    why: str = Field("", description="What the confidence rests on.")
    call: str = Field("", description="The call behind the result, every value by its name.")
    arguments: list[dict[str, Any]] = Field(
        default_factory=list,
        description="The values of the call: name, value, origin (stated, earlier, repeated, "
        "default, assumed), whether it is assumed, and a note for people.",
    )
    code: str = Field("", description="The solution behind the result while no tool is.")
    agree: int = Field(0, description="Independent solutions that gave this result.")
    solutions: int = Field(0, description="Independent solutions that were tried.")
    alternatives: list[dict[str, Any]] = Field(
        default_factory=list, description="Other results, and how many solutions gave each."
    )
    tool_confidence: float | None = Field(
        None, description="The chance that the tool is right in general."
    )
    proof: str = Field("none", description="none, pending, proved or unproved.")
    skill: str | None = Field(None, description="The skill that it was answered by.")
    cached: bool
    cost: CostBody
    trace_id: str
    status: str
    session_id: str
    run_id: str


class ErrorBody(BaseModel):
    code: str
    message: str
    hint: str = ""
    retry_after_s: float | None = Field(None, description="When it is worth trying again.")


class ErrorAnswer(BaseModel):
    error: ErrorBody


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorAnswer}
    for code in (400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503)
}


def approval_document(approval: Approval) -> dict[str, Any]:
    """An approval with its words for people, and `whole`: all that its action gets, uncut."""
    words = action_words(approval)
    said = {"words": words.to_json() if words else None, "whole": whole_action(approval)}
    return {**approval.to_json(), **said}


def error_document(error: HammerstoneError) -> dict[str, Any]:
    said = {"code": error.code, "message": error.message, "hint": error.hint}
    after_s = error.data.get("retry_after_s")
    return {"error": said if after_s is None else {**said, "retry_after_s": after_s}}


def event_document(event: Event) -> dict[str, Any]:
    return {
        "kind": str(event.kind),
        "run_id": event.run_id,
        "session_id": event.session_id,
        "number": event.number,
        "at": event.at.isoformat(),
        "text": event.text,
        "data": dict(event.data),
    }
