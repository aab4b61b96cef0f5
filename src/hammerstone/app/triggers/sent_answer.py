"""An answer on its way out: what is told of it, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hammerstone.core.answers import AnswerStatus
from hammerstone.core.json_types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """What a trigger's request came to, from the answer itself or from a run's record.

    `remarks` are what is to be said beside it; `choices` those of a question back.
    """

    text: str
    status: AnswerStatus
    result: Json = None
    confidence: float | None = None
    sureness: str = ""
    trace_id: str = ""
    tokens: int = 0
    usd: float = 0.0
    files: tuple[str, ...] = ()  # their ids
    remarks: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "SentAnswer":
        """From an answer's document; a run that was broken off has no more than a text."""
        cost = document.get("cost") or {}
        return SentAnswer(
            text=str(document.get("text") or ""),
            status=AnswerStatus(str(document.get("status") or AnswerStatus.FAILED)),
            result=document.get("result"),
            confidence=document.get("confidence"),
            sureness=str(document.get("sureness") or ""),
            trace_id=str(document.get("trace_id") or ""),
            tokens=int(cost.get("tokens") or 0),
            usd=float(cost.get("usd") or 0.0),
            files=tuple(str(one["id"]) for one in document.get("files") or ()),
        )

    @staticmethod
    def failure(text: str) -> "SentAnswer":
        return SentAnswer(text, AnswerStatus.FAILED)

    def with_remarks(self, *remarks: str) -> "SentAnswer":
        return replace(self, remarks=(*self.remarks, *filter(None, remarks)))

    @property
    def spoken(self) -> str:
        """The answer as it is written into a chat."""
        lines = [self.text]
        if self.status is AnswerStatus.DONE and self.sureness and self.confidence is not None:
            lines.append(f"({self.sureness}, {self.confidence:.0%})")
        return "\n".join([*lines, *self.remarks])

    def to_json(self) -> JsonObject:
        return {
            "text": self.text,
            "status": str(self.status),
            "result": self.result,
            "confidence": self.confidence,
            "sureness": self.sureness or None,
            "remarks": list(self.remarks),
        }
