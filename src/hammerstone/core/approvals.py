"""What was asked of a person, and what they said."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from hammerstone.core.json_types import JsonObject


class ApprovalStatus(StrEnum):
    PENDING = "pending"
    GIVEN = "given"
    REFUSED = "refused"
    EXPIRED = "expired"


class ApprovalScope(StrEnum):
    """How far a person's yes reaches."""

    ONCE = "once"
    SESSION = "session"  # the same tool and version, for the rest of the session


@dataclass(frozen=True, slots=True)
class Approval:
    """Something asked of a person: leave for an action, or an answer to a question.

    `outlives_run`: nobody waits for it; once decided it counts for the next run that asks the
    same. Without it, it can be decided only while its run goes on.
    """

    id: str
    kind: str  # an ActionKind, or "question"
    user: str
    session_id: str
    run_id: str
    fingerprint: str
    text: str  # what is asked, with the preview
    asked_at: datetime
    expires_at: datetime
    action: JsonObject | None = None  # of a question: its kind, parameter and tools
    choices: tuple[str, ...] = ()
    outlives_run: bool = False
    status: ApprovalStatus = ApprovalStatus.PENDING
    scope: ApprovalScope = ApprovalScope.ONCE
    answer: str = ""
    decided_at: datetime | None = None
    decided_by: str = ""
    used_at: datetime | None = None

    @property
    def question(self) -> "Question | None":
        """The question that this is; None for leave for an action."""
        if self.kind != QUESTION:
            return None
        about = self.action
        if about is None:  # stored before questions had a kind: a choice began with its tool
            kind = QuestionKind.CHOICE if self.choices else QuestionKind.MISSING
            tools = tuple(choice.partition(":")[0].strip() for choice in self.choices)
            return Question(kind, self.text, choices=self.choices, tools=tools)
        listed = about.get("tools")
        return Question(
            QuestionKind(str(about.get("question"))),
            self.text,
            str(about.get("parameter") or ""),
            self.choices,
            tuple(map(str, listed)) if isinstance(listed, list) else (),
        )

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "kind": self.kind,
            "user": self.user,
            "session_id": self.session_id,
            "run_id": self.run_id,
            "text": self.text,
            "choices": list(self.choices),
            "action": None if self.kind == QUESTION else self.action,
            "status": str(self.status),
            "scope": str(self.scope),
            "answer": self.answer,
            "asked_at": self.asked_at.isoformat(),
            "expires_at": self.expires_at.isoformat(),
            "decided_at": self.decided_at.isoformat() if self.decided_at else None,
            "decided_by": self.decided_by,
        }


QUESTION = "question"
"""The kind of an approval row that is a question."""


class QuestionKind(StrEnum):
    """What a person is asked for."""

    MISSING = "missing"  # the value of a parameter, which the request does not hold
    CHOICE = "choice"  # which of several tools' results was meant


@dataclass(frozen=True, slots=True)
class Question:
    """One short question back to the person, as a person reads it and as the program does.

    `choices` may be empty: any answer counts. `tools` are the ones behind the choices.
    """

    kind: QuestionKind
    text: str
    parameter: str = ""  # of a missing value
    choices: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """What is stored beside the text and the choices."""
        return {"question": str(self.kind), "parameter": self.parameter, "tools": [*self.tools]}


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """What the person said; `choice` is its position when there were choices."""

    text: str
    choice: int | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """Nobody answered now. The question is stored; the session's next message may answer it."""

    id: str
    question: Question


OnApproval: TypeAlias = Callable[[Approval], Awaitable["bool | ApprovalScope | None"]]
"""Shows what needs leave; yes (once, or for the session), no, or None: nobody decides now."""

OnQuestion: TypeAlias = Callable[[str, tuple[str, ...]], Awaitable[int | None]]
"""Shows a question and results to choose from; the right one's position, or None."""
