"""What comes to the public address of a trigger: signed, or turned away."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.app.triggers.chat_intake import ChatIntake
from hammerstone.app.triggers.credentials import TriggerCredentials
from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.app.triggers.new_trigger import SECRET, SIGNING
from hammerstone.app.triggers.payload import (
    BadFiles,
    MissingValue,
    PayloadFile,
    filled,
    payload_files,
)
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.connectors.chats.chat import ButtonPress, ChatMessage
from hammerstone.connectors.webhooks import SignedCall, verified
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.triggers import Trigger, TriggerKind, TriggerTask
from hammerstone.guard.request import LIMIT_BYTES
from hammerstone.library.policies import Policies
from hammerstone.storage import Database

PAYLOAD = "payload.json"


@dataclass(frozen=True, slots=True)
class HookReply:
    """The reply to a webhook's sender."""

    status: int
    document: JsonObject = field(default_factory=dict[str, Json])


def _refusal(status: int, code: str, message: str, **more: Json) -> HookReply:
    """A call that is not taken, in the form that every error of the API has."""
    return HookReply(status, {"error": {"code": code, "message": message, "hint": ""}, **more})


_UNKNOWN = _refusal(401, "unsigned", "no trigger of this name, or a wrong signature")


class HookDoor:
    def __init__(
        self,
        db: Database,
        clock: Clock,
        policies: Policies,
        credentials: TriggerCredentials,
        deliverer: Deliverer,
        chats: ChatIntake,
    ) -> None:
        self._db = db
        self._clock = clock
        self._policies = policies
        self._credentials = credentials
        self._deliverer = deliverer
        self._chats = chats

    async def receive(self, name: str, headers: Mapping[str, str], body: bytes) -> HookReply:
        """Take a call in. Whoever cannot sign learns nothing, not even whether there is such a
        trigger."""
        trigger = await self._db.triggers.find(name)
        if trigger is None or trigger.kind not in (TriggerKind.WEBHOOK, TriggerKind.SLACK):
            return _UNKNOWN
        if trigger.kind is TriggerKind.SLACK:
            return await self._slack(trigger, headers, body)
        return await self._webhook(trigger, headers, body)

    async def _webhook(
        self, trigger: Trigger, headers: Mapping[str, str], body: bytes
    ) -> HookReply:
        try:
            call = verified(self._credentials.get(trigger.name, SECRET), headers, body)
        except NotFound as error:
            await self._deliverer.refuse(trigger.name, error.message)
            return _UNKNOWN
        if call is None:
            await self._deliverer.refuse(trigger.name, "a wrong signature")
            return _UNKNOWN
        off_s = self._clock.now().timestamp() - call.sent_s
        if abs(off_s) > self._policies.get(TriggerPolicy).clock_slack_s:
            side = "behind" if off_s > 0 else "ahead"
            await self._deliverer.refuse(
                trigger.name, f"the sender's clock is {side}, or an old call was repeated"
            )
            text = f"the call was signed {abs(off_s):,.0f} s {'ago' if off_s > 0 else 'ahead'}"
            return _refusal(401, "wrong_time", f"{text}: look at the sender's clock")
        return await self._signed(trigger, call, body)

    async def _signed(self, trigger: Trigger, call: SignedCall, body: bytes) -> HookReply:
        """A call that is really the sender's, and not too old."""
        hashed = digest(body.decode("utf-8", "surrogateescape"))[:32]
        before = await self._db.deliveries.by_key(trigger.name, f"call:{call.id}")
        if before is not None:
            return self._repeat(before.id, before.fingerprint, hashed)
        if trigger.paused:
            await self._deliverer.refuse(trigger.name, "the trigger is paused")
            return _refusal(409, "paused", "the trigger is paused")
        payload = _parsed(body)
        if isinstance(payload, _NotJson):
            await self._deliverer.refuse(trigger.name, payload.why)
            return _refusal(400, "bad_request", payload.why)
        text = filled(trigger.request, payload.value)
        if isinstance(text, MissingValue):
            why = f"the payload has no {text.path}"
            await self._deliverer.refuse(trigger.name, why)
            return _refusal(400, "bad_request", why)
        if len(text.encode()) > LIMIT_BYTES:
            why = f"the request would have more than {LIMIT_BYTES:,} bytes"
            await self._deliverer.refuse(trigger.name, why)
            return _refusal(413, "too_large", why)
        given = _attached(trigger, payload.value, body)
        if isinstance(given, BadFiles):
            await self._deliverer.refuse(trigger.name, given.why)
            return _refusal(400, "bad_request", given.why)
        id = self._deliverer.new_id()
        folder = self._deliverer.files_of(id)
        files = tuple(str(one.written(folder)) for one in given)
        task = TriggerTask(trigger.name, text, digest(trigger.name, call.id)[:32], files)
        taken = await self._deliverer.take(
            trigger, f"call:{call.id}", task, id=id, fingerprint=hashed
        )
        if not taken.new:
            self._deliverer.forget_files(id)
            return self._repeat(taken.delivery.id, taken.delivery.fingerprint, hashed)
        return HookReply(202, {"id": taken.delivery.id, "repeat": False})

    def _repeat(self, id: str, noted: str, hashed: str) -> HookReply:
        """The same call again is fine; another body under its id is not."""
        if noted == hashed:
            return HookReply(200, {"id": id, "repeat": True})
        return _refusal(409, "another_call", "another call has had this id", id=id)

    async def _slack(self, trigger: Trigger, headers: Mapping[str, str], body: bytes) -> HookReply:
        from hammerstone.connectors.chats.slack import (
            SlackChallenge,
            is_from_slack,
            read_event,
        )

        try:
            secret = self._credentials.get(trigger.name, SIGNING)
        except NotFound as error:
            await self._deliverer.refuse(trigger.name, error.message)
            return _UNKNOWN
        if not is_from_slack(secret, headers, body, self._clock):
            await self._deliverer.refuse(trigger.name, "not signed by Slack, or too late")
            return _UNKNOWN
        event = read_event(headers, body)
        if isinstance(event, SlackChallenge):
            return HookReply(200, {"challenge": event.text})
        if trigger.paused:
            await self._deliverer.refuse(trigger.name, "the trigger is paused")
            return HookReply(200, {"text": "This is paused."})
        if isinstance(event, ButtonPress):
            return await self._pressed(trigger, event)
        if isinstance(event, ChatMessage):
            taken = await self._chats.hear(trigger, event)
            said = {"text": "Working on it …"} if event.command and taken else {}
            return HookReply(200, {**said})
        await self._deliverer.ignore(trigger.name, event.why)
        return HookReply(200)

    async def _pressed(self, trigger: Trigger, press: ButtonPress) -> HookReply:
        try:
            return HookReply(200, {"text": await self._chats.press(trigger, press)})
        except HammerstoneError as error:
            return HookReply(200, {"text": error.message})


@dataclass(frozen=True, slots=True)
class _JsonBody:
    value: Json


@dataclass(frozen=True, slots=True)
class _NotJson:
    why: str


def _attached(trigger: Trigger, payload: Json, body: bytes) -> list[PayloadFile] | BadFiles:
    """The files that a call's request works on."""
    whole = [PayloadFile(PAYLOAD, body)] if trigger.config.get("attach_payload") else []
    if not trigger.config.get("attach_files"):
        return whole
    found = payload_files(payload)
    if isinstance(found, BadFiles):
        return found
    return [*whole, *(one for one in found if not whole or one.name != PAYLOAD)]


def _parsed(body: bytes) -> _JsonBody | _NotJson:
    try:
        return _JsonBody(json.loads(body, parse_constant=_no_constant))
    except RecursionError:
        return _NotJson("the payload is nested too deep")
    except ValueError:
        return _NotJson("the payload is not JSON")


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")
