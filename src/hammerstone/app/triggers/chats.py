"""The chat services of triggers, opened when they are first needed, and what a chat sees while a
request is worked on: one message that changes, and buttons."""

import asyncio
from contextlib import suppress

from hammerstone.app.triggers.credentials import TriggerCredentials
from hammerstone.app.triggers.new_trigger import TOKEN
from hammerstone.connectors.chats.chat import ChatButton, ChatGone, ChatPlace, ChatService
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.answers import Event, EventKind
from hammerstone.core.approvals import Approval, ApprovalScope
from hammerstone.core.clock import Clock
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.triggers import Trigger, TriggerKind, TriggerTask

WORKING = "Working on it …"
_SHOWN = frozenset(
    (EventKind.SEARCHING, EventKind.TOOL_FOUND, EventKind.PLANNING, EventKind.SYNTHESIZING,
     EventKind.EXECUTING, EventKind.REPAIRING, EventKind.VERIFYING)
)  # fmt: skip


class Chats:
    def __init__(self, credentials: TriggerCredentials) -> None:
        self._credentials = credentials
        self._open: dict[tuple[str, str], ChatService] = {}

    def of(self, trigger: Trigger) -> ChatService:
        """The service that a trigger talks to; raises `NotFound` without its token."""
        token = self._credentials.get(trigger.name, TOKEN)
        key = (trigger.name, digest(token))
        if key not in self._open:
            self._open[key] = _opened(trigger, token)
        return self._open[key]

    async def close(self) -> None:
        for one in self._open.values():
            await one.close()
        self._open.clear()


def _opened(trigger: Trigger, token: str) -> ChatService:
    api = str(trigger.config.get("api") or "")
    if trigger.kind is TriggerKind.SLACK:
        from hammerstone.connectors.chats.slack import API, SlackChat

        return SlackChat(token, api or API)
    from hammerstone.connectors.chats import telegram

    return telegram.TelegramChat(token, api or telegram.API)


def place_of(document: JsonObject) -> ChatPlace:
    return ChatPlace(str(document.get("channel") or ""), str(document.get("thread") or ""))


def conversation_of(trigger: Trigger, place: ChatPlace, alone: str = "") -> str:
    """The session of a thread; `alone` keeps what belongs to no thread apart."""
    return digest("chat", trigger.name, place.channel, place.thread, alone)[:32]


def listed(trigger: Trigger, name: str) -> set[str]:
    """Ids of a trigger's config: its channels, or its person's own in the chat."""
    value: Json = trigger.config.get(name)
    return {str(one) for one in value} if isinstance(value, list) else set()


class ChatProgress:
    """One request's message. What cannot be said is left out: the answer matters more."""

    def __init__(
        self, chats: Chats, clock: Clock, trigger: Trigger, task: TriggerTask, every_s: float
    ) -> None:
        self._chat = chats.of(trigger)
        self._clock = clock
        self._place = place_of(task.place)
        self._every_s = every_s
        self._said_s: float | None = None
        self.message = ""

    async def begin(self, message: str = "") -> None:
        """Say that the work began, unless an earlier attempt has; raises as the chat does."""
        self.message = message or await self._chat.post(self._place, WORKING)
        self._said_s = self._clock.elapsed_s()

    async def show(self, event: Event) -> None:
        """Change the message, not oftener than the policy says."""
        now_s = self._clock.elapsed_s()
        due = self._said_s is None or now_s - self._said_s >= self._every_s
        if event.kind not in _SHOWN or not due or not self.message:
            return
        self._said_s = now_s
        with suppress(ChatGone, ServiceDown):
            await self._chat.edit(self._place, self.message, f"{WORKING}\n{event.text[:300]}")

    async def ask(self, asked: Approval) -> bool | ApprovalScope | None:
        """Show what needs permission, with buttons. The decision itself is stored, by whichever
        process hears of the button; who waits for it cancels this."""
        buttons = (
            ChatButton("Allow once", f"give:{asked.id}"),
            ChatButton("Do not allow", f"refuse:{asked.id}", risky=True),
        )
        await self._chat.post(self._place, asked.text, buttons)
        await asyncio.Event().wait()
        return None
