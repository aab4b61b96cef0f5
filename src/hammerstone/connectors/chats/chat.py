"""What every chat service offers, and what comes from one, whatever it calls these things."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hammerstone.core.errors import HammerstoneError


class ChatGone(HammerstoneError):
    """The channel is not there any more, or the bot was removed from it."""

    code = "chat_gone"


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """Where in a chat something is said; `thread` is empty where there is none."""

    channel: str
    thread: str = ""


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A file in a message, before it is fetched; `where` is an address or an id."""

    name: str
    where: str
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """What somebody wrote. `key` is the same however often the service tells of it.

    `addressed`: it is meant for the bot by itself, not only because a conversation goes on.
    """

    key: str
    place: ChatPlace
    sender: str
    text: str
    files: tuple[ChatFile, ...] = ()
    from_bot: bool = False
    addressed: bool = True
    command: bool = False


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A button that somebody pressed, with the value it was made with."""

    key: str
    place: ChatPlace
    sender: str
    value: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class ChatButton:
    label: str
    value: str
    risky: bool = False


class ChatService(Protocol):
    """Says things in a chat.

    Raises `ChatGone` where nobody can be reached any more, `ServiceDown` where trying again
    later may help. Texts that are too long are cut, with a word that says so.
    """

    async def post(self, place: ChatPlace, text: str, buttons: Sequence[ChatButton] = ()) -> str:
        """Say something; the message's id."""
        ...

    async def edit(
        self, place: ChatPlace, message: str, text: str, buttons: Sequence[ChatButton] = ()
    ) -> None:
        """Say something else in place of an earlier message."""
        ...

    async def upload(self, place: ChatPlace, name: str, content: bytes) -> None: ...

    async def download(self, file: ChatFile, most_bytes: int) -> bytes: ...

    async def close(self) -> None: ...


def cut_message(text: str, most: int) -> str:
    """A text as long as a message may be; a longer one ends with how much is missing."""
    if len(text) <= most:
        return text
    room = most - 60
    return f"{text[:room].rstrip()}\n… [cut: {len(text) - room:,} more characters]"
