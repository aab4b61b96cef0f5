"""The chat services of triggers, opened when they are first needed."""

from collections.abc import Callable
from typing import TypeAlias

from hammerstone.app.triggers.credentials import TriggerCredentials
from hammerstone.app.triggers.new_trigger import TOKEN
from hammerstone.connectors.chats.chat import ChatPlace, ChatService
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.triggers import Trigger, TriggerKind

OpenChat: TypeAlias = Callable[[Trigger, str], ChatService]


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
