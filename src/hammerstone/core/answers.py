"""What a person gets back, and the events on the way there."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from hammerstone.core.json_types import Json, JsonObject


class EventKind(StrEnum):
    SEARCHING = "searching"
    TOOL_FOUND = "tool_found"
    PLANNING = "planning"
    SYNTHESIZING = "synthesizing"
    TEST_WRITTEN = "test_written"
    CANDIDATE = "candidate"
    VERIFYING = "verifying"
    EXECUTING = "executing"
    SOLUTION = "solution"  # one whole solution ran; `value` and how many agree so far
    ANSWER = "answer"  # a value that can be used now; later ones replace it
    PROOF = "proof"  # how far the proof of the tool behind an answer is
    CORRECTION = "correction"  # the proof came to another value than the answer
    CACHE_HIT = "cache_hit"
    REPAIRING = "repairing"
    APPROVAL_NEEDED = "approval_needed"
    REFUSED = "refused"  # a guard said no to one step; the run may go on without it
    SYNTHESIZING_RESPONSE = "synthesizing_response"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a run. `text` is for people; `data` for programs."""

    kind: EventKind
    run_id: str
    session_id: str
    number: int
    at: datetime
    text: str
    data: Mapping[str, Json]


OnEvent: TypeAlias = Callable[[Event], Awaitable[None]]
OnAccepted: TypeAlias = Callable[[], None]
"""Hears that a request outlives the process that was asked."""


@dataclass(frozen=True, slots=True)
class Cost:
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    model_calls: int = 0


class Sureness(StrEnum):
    """How sure an answer is, in the words a person reads."""

    SURE = "sure"
    LIKELY = "likely"
    UNSURE = "unsure"


class Proof(StrEnum):
    """How far the proof of the tool behind an answer is."""

    NONE = "none"  # there is no tool to prove
    PENDING = "pending"  # stored; done when nobody waits
    PROVED = "proved"
    UNPROVED = "unproved"  # examined, and the evidence was not enough


class AnswerStatus(StrEnum):
    DONE = "done"
    QUESTION = "question"  # one short question back to the person
    FAILED = "failed"


class ArgumentOrigin(StrEnum):
    """Where a value of the call behind an answer comes from; `note` says it to a person."""

    STATED = "stated"  # the request says it
    EARLIER = "earlier"  # from a step before, or from what was said before
    REPEATED = "repeated"  # the request says it once, and another argument has it already
    DEFAULT = "default"  # what the function takes where nothing is given
    ASSUMED = "assumed"  # chosen by the model

    @property
    def is_assumed(self) -> bool:
        """Whether the request does not say it, so that the person should look at it."""
        return self not in (ArgumentOrigin.STATED, ArgumentOrigin.EARLIER)

    @property
    def note(self) -> str:
        return _ORIGIN_NOTES.get(self, "")


_ORIGIN_NOTES = {
    ArgumentOrigin.EARLIER: "from earlier in this session",
    ArgumentOrigin.REPEATED: "your request says this once; it is used a second time here",
    ArgumentOrigin.DEFAULT: "not in your request; the usual value was taken",
    ArgumentOrigin.ASSUMED: "not in your request; the model chose it",
}


@dataclass(frozen=True, slots=True)
class CallArgument:
    """One value of the call behind an answer. `value` is its source, cut where it is long."""

    name: str
    value: str
    origin: ArgumentOrigin = ArgumentOrigin.STATED

    def to_json(self) -> JsonObject:
        return {
            "name": self.name,
            "value": self.value,
            "origin": str(self.origin),
            "assumed": self.origin.is_assumed,
            "note": self.origin.note,
        }

    @staticmethod
    def from_json(document: Mapping[str, Json]) -> "CallArgument":
        origin = ArgumentOrigin(str(document["origin"]))
        return CallArgument(str(document["name"]), str(document["value"]), origin)


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file that a tool made for this answer; its content is fetched by its id."""

    id: str
    name: str
    media_type: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person gets.

    `confidence` is the chance that this answer is right, `tool_confidence` the chance that the
    tool is right in general. Of `solutions` independent ones `agree` gave this result;
    `alternatives` are the other results with how many gave each. `arguments` are those of `call`,
    each with where it comes from; `code` is the solution behind it while no tool is.
    """

    text: str
    result: Json = None
    tool: str | None = None
    version: int | None = None
    confidence: float | None = None
    sureness: Sureness | None = None
    why: str = ""  # what the confidence rests on, in one line
    call: str = ""  # the call behind the result, as a person reads it: every value by its name
    arguments: tuple[CallArgument, ...] = ()
    code: str = ""
    agree: int = 0
    solutions: int = 0
    alternatives: tuple[JsonObject, ...] = ()
    tool_confidence: float | None = None
    proof: Proof = Proof.NONE
    cached: bool = False
    cost: Cost = Cost()
    trace_id: str = ""
    status: AnswerStatus = AnswerStatus.DONE
    session_id: str = ""
    run_id: str = ""
    files: tuple[MadeFile, ...] = ()
    strategy: str = ""  # how it was answered: single, sequence, composition, workflow, building
    steps: tuple[JsonObject, ...] = ()  # the task tree of work that took several steps
    skill: str | None = None  # the skill that it was answered by
    checks: JsonObject = field(default_factory=dict[str, Json])  # confirmed, contradicted, ...

    def to_json(self) -> JsonObject:
        arguments: list[Json] = [argument.to_json() for argument in self.arguments]
        return asdict(self) | {
            "status": str(self.status),
            "proof": str(self.proof),
            "sureness": str(self.sureness) if self.sureness else None,
            "arguments": arguments,
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "Answer":
        """The answer as it was stored; raises `KeyError` or `TypeError` for anything else."""
        known: dict[str, Any] = {
            name: document[name] for name in Answer.__slots__ if name in document
        }
        sureness = document.get("sureness")
        known |= {
            "cost": Cost(**document["cost"]),
            "status": AnswerStatus(document["status"]),
            "proof": Proof(document["proof"]),
            "sureness": Sureness(sureness) if sureness else None,
            "arguments": tuple(CallArgument.from_json(one) for one in document["arguments"]),
            "files": tuple(MadeFile(**one) for one in document["files"]),
        }
        for name in ("alternatives", "steps"):
            known[name] = tuple(document[name])
        return Answer(**known)
