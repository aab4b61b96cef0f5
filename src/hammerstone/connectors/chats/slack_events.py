"""What Slack sends: signed requests with events, commands and pressed buttons."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from hammerstone.connectors.chats.chat import ButtonPress, ChatFile, ChatMessage, ChatPlace
from hammerstone.core.clock import Clock
from hammerstone.core.errors import SettingsError

_MENTION = re.compile(r"<@[A-Z0-9]+(?:\|[^>]*)?>")
_LINK = re.compile(r"<((?:https?|mailto):[^|>]+)(?:\|[^>]*)?>")
_NAMED = re.compile(r"<([#!])([^|>]+)(?:\|([^>]*))?>")
# Edits, joins and the like are no requests; these two are.
_REQUESTS = (None, "file_share", "thread_broadcast", "bot_message")


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
