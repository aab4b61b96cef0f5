"""Answers sent to where a trigger's answers go. Sending one twice leaves one: it has a name. Of
each the numbers are kept, and what is unusual about them is told."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from hammerstone.app.triggers.chats import Chats, place_of
from hammerstone.app.triggers.credentials import TriggerCredentials
from hammerstone.app.triggers.new_trigger import SECRET
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.connectors.chats.chat import ChatButton, ChatGone
from hammerstone.connectors.connector import ServiceDown
from hammerstone.connectors.webhooks import signed_headers
from hammerstone.core.answers import AnswerStatus
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.triggers import AnswerPlace, Delivery, Trigger, TriggerKind, TriggerTask
from hammerstone.judging.series import WHOLE, UnusualValue, numbers_of, unusual
from hammerstone.library.policies import Policies
from hammerstone.run.services import Records

_TIMEOUT_S = 20.0
_MOST_SENT_BYTES = 5_000_000  # of all files of one answer

FetchFile: TypeAlias = Callable[[str, str], Awaitable[tuple[Any, bytes]]]
"""A file that a tool made, by its id and its person."""

_LOOKED_BACK = 200
_SHOWN_REASON = 500


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


class NotSent(HammerstoneError):
    """An answer did not arrive; `again` in the data says whether trying later may help."""

    code = "not_sent"


@dataclass(frozen=True, slots=True)
class OutgoingAnswer:
    """One answer, what it is the answer to, and the chat message that it takes the place of."""

    trigger: Trigger
    delivery: Delivery
    task: TriggerTask
    answer: SentAnswer
    message: str = ""


class AnswerSender:
    def __init__(
        self, chats: Chats, credentials: TriggerCredentials, clock: Clock, fetch: FetchFile
    ) -> None:
        self._chats = chats
        self._credentials = credentials
        self._clock = clock
        self._fetch = fetch

    async def send(self, going: OutgoingAnswer) -> None:
        """Bring an answer to its place; raises `NotSent`."""
        place = going.trigger.destination.place
        if place is AnswerPlace.LOG:
            return
        ways = {
            AnswerPlace.URL: self._to_address,
            AnswerPlace.FOLDER: self._to_folder,
            AnswerPlace.CHANNEL: self._to_channel,
        }
        try:
            await ways[place](going)
        except (ChatGone, NotFound) as error:
            raise NotSent(error.message, again=False) from None
        except ServiceDown as error:
            raise NotSent(f"the answer could not be sent: {error.message}", again=True) from None
        except OSError as error:
            raise NotSent(
                f"the answer could not be written: {error.strerror}", again=True
            ) from None

    async def _to_address(self, going: OutgoingAnswer) -> None:
        document = _document(going)
        document["files"] = [
            {"name": name, "content_base64": base64.b64encode(content).decode()}
            for name, content in await self._files(going)
        ]
        body = json.dumps(document, ensure_ascii=False, default=str).encode()
        headers = {"content-type": "application/json", "idempotency-key": going.delivery.id}
        try:
            secret = self._credentials.get(going.trigger.name, SECRET)
        except NotFound:  # only webhooks have one; others are sent as they are
            secret = ""
        if secret:
            now_s = int(self._clock.now().timestamp())
            headers |= signed_headers(secret, going.delivery.id, now_s, body)
        import httpx

        target = going.trigger.destination.target
        try:
            async with httpx.AsyncClient(timeout=_TIMEOUT_S, follow_redirects=False) as client:
                reply = await client.post(target, content=body, headers=headers)
        except httpx.HTTPError as error:
            raise ServiceDown(type(error).__name__) from None
        if reply.status_code >= 300:
            text = f"{target} answered {reply.status_code}"
            raise NotSent(text, again=reply.status_code >= 500 or reply.status_code == 429)

    async def _to_folder(self, going: OutgoingAnswer) -> None:
        files = await self._files(going)
        await asyncio.to_thread(_written, going, files)

    async def _to_channel(self, going: OutgoingAnswer) -> None:
        chat, place = self._chats.of(going.trigger), place_of(going.task.place)
        answer = going.answer
        buttons: list[ChatButton] = []
        if answer.status is AnswerStatus.QUESTION:
            buttons = [
                ChatButton(text, f"say:{number}:{going.task.session_id}")
                for number, text in enumerate(answer.choices, 1)
            ]
        if going.message:
            await chat.edit(place, going.message, answer.spoken, buttons)
        else:
            await chat.post(place, answer.spoken, buttons)
        for name, content in await self._files(going):
            await chat.upload(place, name, content)

    async def _files(self, going: OutgoingAnswer) -> list[tuple[str, bytes]]:
        found: list[tuple[str, bytes]] = []
        room = _MOST_SENT_BYTES
        for id in going.answer.files:
            row, content = await self._fetch(id, going.trigger.user)
            room -= len(content)
            if room >= 0:
                found.append((str(row.name), content))
        return found


def _document(going: OutgoingAnswer) -> JsonObject:
    return {
        "trigger": going.trigger.name,
        "id": going.delivery.id,
        "at": going.delivery.at.isoformat(),
        "run_id": going.delivery.run_id,
        **going.answer.to_json(),
    }


def _written(going: OutgoingAnswer, files: list[tuple[str, bytes]]) -> None:
    """Writes an answer and its files into a folder, under names that are the delivery's own."""
    folder = Path(going.trigger.destination.target)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{going.delivery.at:%Y%m%dT%H%M%SZ}-{going.trigger.name}-{going.delivery.id[:8]}"
    names: list[Json] = []
    for name, content in files:
        made = folder / f"{stem}-{Path(name).name}"
        made.write_bytes(content)
        names.append(made.name)
    document = {**_document(going), "files": names}
    text = json.dumps(document, ensure_ascii=False, indent=2, default=str)
    partial = folder / f".{stem}.part"
    partial.write_text(text + "\n", "utf-8")
    partial.replace(folder / f"{stem}.json")


class UnusualNotes:
    def __init__(self, records: Records, policies: Policies) -> None:
        self._records = records
        self._policies = policies

    def kept(self, answer: SentAnswer) -> Json:
        """The numbers of an answer, where nothing in them is private; else None."""
        if answer.status is not AnswerStatus.DONE:
            return None
        numbers: dict[str, Any] = numbers_of(answer.result)
        return numbers if numbers and self._records.storable(numbers) else None

    def storable_text(self, text: str) -> str:
        return self._records.clean_text(text[:_SHOWN_REASON])

    async def about(self, trigger: Trigger, delivery: Delivery, answer: SentAnswer) -> str:
        """What is unusual about a schedule's new numbers, in words; empty when nothing is."""
        numbers = self.kept(answer)
        if trigger.kind is not TriggerKind.SCHEDULE or not isinstance(numbers, dict):
            return ""
        policy = self._policies.get(TriggerPolicy)
        rows = await self._records.db.deliveries.list(trigger.name, _LOOKED_BACK, ran=True)
        earlier = [row.value for row in rows if row.id != delivery.id]
        found: list[UnusualValue] = []
        for name, value in numbers.items():
            before = [float(one[name]) for one in earlier if isinstance(one, dict) and name in one]  # type: ignore[arg-type]
            one = unusual(
                name, before, float(value),  # type: ignore[arg-type]
                after=policy.unusual_after, spread=policy.unusual_spread,
            )  # fmt: skip
            found += [one] if one else []
        return " ".join(map(_in_words, found))


def _in_words(found: UnusualValue) -> str:
    what = "This value" if found.name == WHOLE else f"The value of {found.name}"
    return (
        f"{what} is unusual: {found.value:g}, where the middle of the last {found.of} "
        f"is {found.middle:g}."
    )
