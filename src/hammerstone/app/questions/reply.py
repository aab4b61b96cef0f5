"""What came of an answer to a tool's question, in one sentence."""

from dataclasses import dataclass
from enum import StrEnum

from hammerstone.core.formatting import percent
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Status, Tool
from hammerstone.judging.rendering import show
from hammerstone.synthesis.reexamine import Reexamination


class AnswerEffect(StrEnum):
    VERIFIED = "verified"  # the tool is verified now
    EXPERIMENTAL = "experimental"  # it gives what was said, and more is needed
    RETIRED = "retired"  # nothing that was written gives what was said
    KNOWN = "known"  # somebody said the same before
    CONTRADICTED = "contradicted"  # somebody said otherwise before: neither counts
    PUT_OFF = "put_off"  # it comes again later
    DROPPED = "dropped"  # it does not come again


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    tool: str
    effect: AnswerEffect
    text: str
    status: str = ""
    confidence: float | None = None

    def to_json(self) -> JsonObject:
        return {
            "tool": self.tool,
            "effect": str(self.effect),
            "text": self.text,
            "status": self.status,
            "confidence": self.confidence,
        }


def reply_of(tool: Tool, effect: AnswerEffect, text: str) -> QuestionOutcome:
    return QuestionOutcome(tool.name, effect, text, str(tool.status), tool.confidence)


def examined_reply(done: Reexamination, code_before: str, value: Json) -> QuestionOutcome:
    """What the examination with the person's result came to."""
    tool, verdict = done.tool, done.verdict
    sure = f"{percent(verdict.confidence)} sure"
    other = tool.version.code != code_before
    if verdict.code is None or tool.status is Status.RETIRED:
        text = f"{tool.name} is not used any more: no program written for it gives {show(value)}"
        return reply_of(tool, AnswerEffect.RETIRED, f"{text} ({verdict.reason}).")
    if tool.status in (Status.VERIFIED, Status.TRUSTED):
        changed = f" and gives {show(value)} for that call" if other else ""
        text = f"{tool.name} is {tool.status} now ({sure}){changed}."
        return reply_of(tool, AnswerEffect.VERIFIED, text)
    gives = f"now gives {show(value)} for that call" if other else "gives this value"
    text = f"{tool.name} {gives} and stays {tool.status} ({sure}): {verdict.reason}."
    return reply_of(tool, AnswerEffect.EXPERIMENTAL, text)
