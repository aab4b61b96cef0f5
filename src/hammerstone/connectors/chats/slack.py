"""Slack: its Web API, through its own SDK, and what it sends: signed requests with events, commands
and pressed buttons."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from hammerstone.connectors.chats.chat import (
    ButtonPress,
    ChatButton,
    ChatFile,
    ChatGone,
    ChatMessage,
    ChatPlace,
    cut_message,
)
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, SettingsError

API = "https://slack.com/api/"
_FILES = "files.slack.com"
_LONGEST = 12_000  # Slack cuts a message at 40,000 characters, and asks for far shorter ones
_LONGEST_SECTION = 3_000
_TIMEOUT_S = 20
_GONE = frozenset(
    (
        *("channel_not_found", "is_archived", "not_in_channel", "account_inactive"),
        *("token_revoked", "invalid_auth", "message_not_found", "restricted_action"),
    )
)

_MENTION = re.compile(r"<@[A-Z0-9]+(?:\|[^>]*)?>")
_LINK = re.compile(r"<((?:https?|mailto):[^|>]+)(?:\|[^>]*)?>")
_NAMED = re.compile(r"<([#!])([^|>]+)(?:\|([^>]*))?>")
# Edits, joins and the like are no requests; these two are.
_REQUESTS = (None, "file_share", "thread_broadcast", "bot_message")


class SlackChat:
    """`ChatService` on Slack. The SDK's plain client is used in a thread: its asynchronous one
    would bring a second HTTP library along."""

    def __init__(self, token: str, api: str = API) -> None:
        try:
            from slack_sdk import WebClient
        except ImportError:
            raise SettingsError(
                "Slack's SDK is not installed", hint="pip install 'hammerstone[chat]'"
            ) from None
        self._client: Any = WebClient(token=token, base_url=api, timeout=_TIMEOUT_S)
        self._token = token
        self._hosts = {_FILES, urlsplit(api).netloc}

    async def post(self, place: ChatPlace, text: str, buttons: Sequence[ChatButton] = ()) -> str:
        said = _said(text, buttons)
        thread = {"thread_ts": place.thread} if place.thread else {}
        done = await self._call(
            self._client.chat_postMessage, channel=place.channel, **thread, **said
        )
        return str(done["ts"])

    async def edit(
        self, place: ChatPlace, message: str, text: str, buttons: Sequence[ChatButton] = ()
    ) -> None:
        said = _said(text, buttons)
        await self._call(self._client.chat_update, channel=place.channel, ts=message, **said)

    async def upload(self, place: ChatPlace, name: str, content: bytes) -> None:
        thread = {"thread_ts": place.thread} if place.thread else {}
        await self._call(
            self._client.files_upload_v2,
            channel=place.channel,
            filename=name,
            content=content,
            **thread,
        )

    async def download(self, file: ChatFile, most_bytes: int) -> bytes:
        """A file's content. The token goes to Slack's own hosts and nowhere else."""
        if urlsplit(file.where).netloc not in self._hosts:
            raise BadRequest(f"{file.name} is not kept by Slack", hint="upload the file itself")
        headers = {"authorization": f"Bearer {self._token}"}
        taken = bytearray()
        try:
            async with (
                httpx.AsyncClient(timeout=_TIMEOUT_S) as client,
                client.stream("GET", file.where, headers=headers) as reply,
            ):
                if reply.status_code != 200:
                    raise BadRequest(f"{file.name} cannot be fetched: {reply.status_code}")
                async for piece in reply.aiter_bytes():
                    taken += piece
                    if len(taken) > most_bytes:
                        raise BadRequest(f"{file.name} is larger than {most_bytes:,} bytes")
        except httpx.HTTPError as error:
            raise ServiceDown(f"Slack does not give the file {file.name}: {error}") from None
        return bytes(taken)

    async def close(self) -> None:
        return

    async def _call(self, method: Callable[..., Any], **values: Any) -> Any:
        from slack_sdk.errors import SlackApiError

        try:
            return await asyncio.to_thread(method, **values)
        except SlackApiError as error:
            said = error.response if error.response is not None else {}
            code = str(said.get("error", "") or "")
            if code in _GONE:
                raise ChatGone(f"Slack says {code} about {values.get('channel')}") from None
            raise ServiceDown(f"Slack says {code or 'no'}") from None
        except (OSError, ValueError) as error:
            raise ServiceDown(f"Slack cannot be reached: {error}") from None


def _said(text: str, buttons: Sequence[ChatButton]) -> dict[str, Any]:
    shown = cut_message(text, _LONGEST)
    if not buttons:
        return {"text": shown, "blocks": []}
    section = {"type": "plain_text", "text": cut_message(text, _LONGEST_SECTION), "emoji": False}
    made: list[dict[str, Any]] = []
    for number, button in enumerate(buttons):
        label = {"type": "plain_text", "text": button.label[:75]}
        one: dict[str, Any] = {"type": "button", "action_id": f"hs{number}", "text": label}
        made.append(one | {"value": button.value} | ({"style": "danger"} if button.risky else {}))
    actions = {"type": "actions", "elements": made}
    return {"text": shown, "blocks": [{"type": "section", "text": section}, actions]}


@dataclass(frozen=True, slots=True)
class SlackChallenge:
    """Slack asks whether somebody is at this address."""

    text: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """Something that starts nothing, and why."""

    why: str


SlackEvent = SlackChallenge | ChatMessage | ButtonPress | Unusable


@dataclass(frozen=True, slots=True)
class _Seconds:
    clock: Clock

    def now(self) -> float:
        return self.clock.now().timestamp()


def is_from_slack(secret: str, headers: Mapping[str, str], body: bytes, clock: Clock) -> bool:
    """Whether Slack signed it (v0), not longer than five minutes ago."""
    try:
        from slack_sdk.signature import SignatureVerifier
    except ImportError:
        raise SettingsError(
            "Slack's SDK is not installed", hint="pip install 'hammerstone[chat]'"
        ) from None
    verifier = SignatureVerifier(secret, clock=_Seconds(clock))  # type: ignore[arg-type]
    try:
        return verifier.is_valid_request(body, headers)
    except ValueError:  # a time that is no number, a body that is no text
        return False


def read_event(headers: Mapping[str, str], body: bytes) -> SlackEvent:
    """What a request of Slack's says; the signature was checked before."""
    form = "application/x-www-form-urlencoded" in headers.get("content-type", "")
    try:
        if form:
            values = {name: one[0] for name, one in parse_qs(body.decode()).items()}
            if "payload" in values:
                return _press(json.loads(values["payload"]))
            return _command(values)
        return _event(json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return Unusable(f"it is no event of Slack's ({type(error).__name__})")


def _event(document: Any) -> SlackEvent:
    if document.get("type") == "url_verification":
        return SlackChallenge(str(document["challenge"]))
    event = document["event"]
    kind = event["type"]
    if kind not in ("app_mention", "message"):
        return Unusable(f"events of the kind {kind} start nothing")
    if event.get("subtype") not in _REQUESTS:
        return Unusable(f"messages of the kind {event['subtype']} start nothing")
    channel, ts = str(event["channel"]), str(event["ts"])
    direct = event.get("channel_type") == "im"
    files = tuple(
        ChatFile(str(one.get("name") or "file"), str(one["url_private_download"]),
                 int(one.get("size") or 0))
        for one in event.get("files", ()) if one.get("url_private_download")
    )  # fmt: skip
    return ChatMessage(
        key=f"{channel}:{ts}",  # a mention is told twice, as a mention and as a message
        place=ChatPlace(channel, str(event.get("thread_ts") or ts)),
        sender=str(event.get("user") or event.get("bot_id") or ""),
        text=_plain(str(event.get("text") or "")),
        files=files,
        from_bot=bool(event.get("bot_id") or event.get("subtype") == "bot_message"),
        addressed=direct or kind == "app_mention",
    )


def _command(values: Mapping[str, str]) -> SlackEvent:
    return ChatMessage(
        key=f"command:{values['trigger_id']}",
        place=ChatPlace(values["channel_id"]),
        sender=values["user_id"],
        text=_plain(values.get("text", "")),
        command=True,
    )


def _press(document: Any) -> SlackEvent:
    if document["type"] != "block_actions":
        return Unusable(f"{document['type']} starts nothing")
    action, message = document["actions"][0], document.get("message") or {}
    thread = message.get("thread_ts") or message.get("ts") or ""
    place = ChatPlace(str(document["channel"]["id"]), str(thread))
    return ButtonPress(
        key=f"press:{action['action_ts']}:{document['user']['id']}",
        place=place,
        sender=str(document["user"]["id"]),
        value=str(action["value"]),
        message=str(message.get("ts") or ""),
    )


def _plain(text: str) -> str:
    """Slack's marks as a person typed them: no mention of the bot, links as addresses."""
    text = _LINK.sub(r"\1", _MENTION.sub("", text))
    text = _NAMED.sub(lambda found: f"{found[1].replace('!', '@')}{found[3] or found[2]}", text)
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return text.strip()
