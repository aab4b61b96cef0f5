"""Who may come in: token, origin, host and size are checked before any route sees a request."""

import hmac
import json
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hammerstone.core.settings import Settings

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        b"default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
        b" connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'none'",
    ),
)
BEARER = "bearer."  # before the token, as a WebSocket's subprotocol
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class TooLarge(Exception):
    """The body goes on beyond what is allowed."""


class Doors:
    """Refuses what should not reach the application.

    A page of another origin cannot use the person's browser to talk to the engine, and a name
    that an attacker points at 127.0.0.1 is no way in either.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token.get_secret_value() if settings.token else None
        self._max_bytes = settings.max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(scope, receive, send, *refusal)
            return
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if scope["type"] == "http" and taken > self._max_bytes:
                raise TooLarge
            return message

        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
            await send(message)

        try:
            await self._app(scope, limited, guarded)
        except TooLarge:
            if not started:
                await _refuse(scope, receive, send, 413, "too_large", "the body is too large")

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._token is None and _name(host) not in _LOCAL:
            return 403, "refused", "this server answers only to localhost"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "refused", "requests from other sites are not accepted"
        if self._token is not None and not self._admitted(scope, headers):
            return 401, "unauthorized", "a token is needed: Authorization: Bearer TOKEN"
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._max_bytes:
            return 413, "too_large", f"the body is larger than {self._max_bytes} bytes"
        return None

    def _admitted(self, scope: Scope, headers: Headers) -> bool:
        given = headers.get("authorization", "")
        if scope["type"] == "websocket" and not given:
            # Browsers cannot set headers on a WebSocket; the subprotocol carries the token.
            offered = [
                name.strip() for name in headers.get("sec-websocket-protocol", "").split(",")
            ]
            tokens = [name.removeprefix(BEARER) for name in offered if name.startswith(BEARER)]
            given = f"Bearer {tokens[0]}" if tokens else ""
        return hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode())


def _name(host: str) -> str:
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: int, code: str, text: str
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": text})
        return
    document: dict[str, Any] = {"error": {"code": code, "message": text, "hint": ""}}
    body = json.dumps(document).encode()
    headers = [(b"content-type", b"application/json"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
