"""Triggers: what starts a request without a person at the screen, and what each one did."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
NEW_TOOLS = "new"
"""In a list of allowed tools: programs may be written for the request, too."""


class TriggerKind(StrEnum):
    WEBHOOK = "webhook"
    SCHEDULE = "schedule"
    FOLDER = "folder"
    SLACK = "slack"
    TELEGRAM = "telegram"

    @property
    def is_chat(self) -> bool:
        return self in (TriggerKind.SLACK, TriggerKind.TELEGRAM)


class AnswerPlace(StrEnum):
    """Where a trigger's answers go."""

    CHANNEL = "channel"  # where the question came from
    URL = "url"
    FOLDER = "folder"
    LOG = "log"  # nowhere else


@dataclass(frozen=True, slots=True)
class Destination:
    """Where answers go; `target` is an address or a folder."""

    place: AnswerPlace = AnswerPlace.LOG
    target: str = ""

    def __str__(self) -> str:
        return f"{self.place}:{self.target}" if self.target else str(self.place)

    @staticmethod
    def parse(text: str) -> "Destination":
        """`channel`, `log`, `url:ADDRESS` or `folder:PATH`; raises `BadRequest`."""
        place, _, target = text.partition(":")
        if place not in list(AnswerPlace):
            raise BadRequest(
                f"answers cannot go to {text[:80]!r}",
                hint="channel, log, url:ADDRESS or folder:PATH",
            )
        named = AnswerPlace(place) in (AnswerPlace.URL, AnswerPlace.FOLDER)
        if named != bool(target):
            hint = f"{place}:{'ADDRESS' if place == 'url' else 'PATH'}" if named else place
            raise BadRequest(f"answers cannot go to {text[:80]!r}", hint=hint)
        return Destination(AnswerPlace(place), target)


@dataclass(frozen=True, slots=True)
class TriggerLimits:
    """What a trigger may do: its maturity level, what it may spend in a day (UTC), its tools.

    None is no limit of its own. `tools` are names or patterns (`sum_*`); `new` among them lets
    programs be written, too.
    """

    level: int | None = None
    runs_a_day: int | None = 100
    tokens_a_day: int | None = 200_000
    usd_a_day: float | None = 1.0
    tools: tuple[str, ...] | None = None

    def to_json(self) -> JsonObject:
        return {
            "level": self.level,
            "runs_a_day": self.runs_a_day,
            "tokens_a_day": self.tokens_a_day,
            "usd_a_day": self.usd_a_day,
            "tools": list(self.tools) if self.tools is not None else None,
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "TriggerLimits":
        tools = document.get("tools")
        return TriggerLimits(
            document.get("level"),
            document.get("runs_a_day"),
            document.get("tokens_a_day"),
            document.get("usd_a_day"),
            tuple(map(str, tools)) if tools is not None else None,
        )


@dataclass(frozen=True, slots=True)
class Trigger:
    """What starts requests. `request` is their text, with places for values where it has any.

    `config` holds what only its kind needs (the cron text, the folder); never a secret.
    `next_at` is the next tick of a schedule.
    """

    name: str
    kind: TriggerKind
    user: str
    request: str
    config: JsonObject
    created_at: datetime
    created_by: str
    limits: TriggerLimits = TriggerLimits()
    destination: Destination = Destination()
    paused: bool = False
    next_at: datetime | None = None

    def to_json(self) -> JsonObject:
        return {
            "name": self.name,
            "kind": str(self.kind),
            "user": self.user,
            "request": self.request,
            "config": self.config,
            "limits": self.limits.to_json(),
            "answers": str(self.destination),
            "state": "paused" if self.paused else "active",
            "next_at": self.next_at.isoformat() if self.next_at else None,
            "created_at": self.created_at.isoformat(),
            "created_by": self.created_by,
        }


class DeliveryState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    QUESTION = "question"  # it was answered with a question back
    FAILED = "failed"
    UNSENT = "unsent"  # answered, and the answer could not be sent
    REFUSED = "refused"  # nothing ran: a limit, a signature, a person who was revoked
    IGNORED = "ignored"  # nothing had to run: a bot's own message, a file that was there before


@dataclass(frozen=True, slots=True)
class Delivery:
    """One time that a trigger was set off. `key` tells it from the others of its trigger.

    Refusals of one reason are one row an hour, with a `count`. `value` is what the answer came
    to, as far as numbers of it are kept; `note` says in words that it is unusual.
    """

    id: str
    trigger: str
    key: str
    at: datetime
    state: DeliveryState
    reason: str = ""
    count: int = 1
    run_id: str = ""
    session_id: str = ""
    trace_id: str = ""
    tokens: int = 0
    usd: float = 0.0
    value: Json = None
    note: str = ""
    finished_at: datetime | None = None
    fingerprint: str = ""  # of what came, so that another thing under its key is noticed

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "trigger": self.trigger,
            "at": self.at.isoformat(),
            "state": str(self.state),
            "reason": self.reason,
            "count": self.count,
            "run_id": self.run_id,
            "session_id": self.session_id,
            "trace_id": self.trace_id,
            "tokens": self.tokens,
            "usd": self.usd,
            "value": self.value,
            "note": self.note,
            "finished_at": self.finished_at.isoformat() if self.finished_at else None,
        }


@dataclass(frozen=True, slots=True)
class DaySpending:
    """What a trigger has used of its day so far."""

    runs: int = 0
    tokens: int = 0
    usd: float = 0.0

    def exceeded(self, limits: TriggerLimits) -> str:
        """Which limit of the day is used up, in words; empty when none is."""
        used = (
            (self.runs, limits.runs_a_day, "requests"),
            (self.tokens, limits.tokens_a_day, "tokens"),
            (self.usd, limits.usd_a_day, "USD"),
        )
        for spent, limit, what in used:
            if limit is not None and spent >= limit:
                return f"the day's limit of {limit:g} {what} is used up"
        return ""


@dataclass(frozen=True, slots=True)
class TriggerTask:
    """What is asked when a trigger is set off; stored until it is done, then forgotten.

    `files` are copies that belong to the delivery. `place` is where in a chat it came from, and
    `remark` what the answer has to say beside its text (that a message was cut).
    """

    trigger: str
    text: str
    session_id: str
    files: tuple[str, ...] = ()
    place: JsonObject = field(default_factory=dict[str, Json])
    remark: str = ""

    def to_json(self) -> JsonObject:
        return {
            "trigger": self.trigger,
            "text": self.text,
            "session_id": self.session_id,
            "files": list(self.files),
            "place": self.place,
            "remark": self.remark,
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "TriggerTask":
        return TriggerTask(
            str(document["trigger"]),
            str(document["text"]),
            str(document["session_id"]),
            tuple(map(str, document["files"])),
            dict(document["place"]),
            str(document["remark"]),
        )


def checked_trigger_name(name: str) -> str:
    """A trigger's name, which is part of an address; raises `BadRequest` for any other text."""
    if not _NAME.fullmatch(name):
        raise BadRequest(
            f"{name[:80]!r} is no name for a trigger",
            hint="small letters, digits, and . _ - inside; at most 64",
        )
    return name
