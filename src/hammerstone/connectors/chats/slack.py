"""Slack's Web API, through Slack's own SDK."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from hammerstone.connectors.chats.chat import (
    ChatButton,
    ChatFile,
    ChatGone,
    ChatPlace,
    cut_message,
)
from hammerstone.connectors.connector import ServiceDown
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
