"""Who may come in: token, origin, host, rate and size are checked before any route sees it."""

import hmac
import json
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hammerstone.core.settings import Settings
from hammerstone.serve.api.people import USER

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
        b" connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; base-uri 'none';"
        b" form-action 'none'; frame-ancestors 'none'",
    ),
)
BEARER = "bearer."  # before the token, as a WebSocket's subprotocol
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_WINDOW_S = 60.0
_GUESSES_PER_MINUTE = 20  # wrong tokens from one address
_MOST_KNOWN = 10_000  # people at addresses


class BodyTooLarge(Exception):
    """The body goes on beyond what is allowed."""


class AccessChecks:
    """Refuses what should not reach the application.

    A page of another origin cannot use the person's browser to talk to the engine, and a name
    that an attacker points at 127.0.0.1 is no way in either. The page itself is open to whoever
    reaches the port, since it holds no data; it asks for the token.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._people = {name: token.get_secret_value() for name, token in settings.tokens.items()}
        if settings.token:
            self._people[settings.user] = settings.token.get_secret_value()
        self._owner = settings.user
        self._max_bytes = settings.max_body_bytes
        self._max_upload_bytes = max(settings.max_upload_bytes, settings.max_body_bytes)
        self._rate = Rate(settings.requests_per_minute)
        self._guesses = Rate(_GUESSES_PER_MINUTE)
        self._known: set[tuple[str, str]] = set()  # addresses from which a person came before

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(scope, receive, send, *refusal)
            return
        taken = 0
        most = self._most_bytes(scope)

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if scope["type"] == "http" and taken > most:
                raise BodyTooLarge
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
        except BodyTooLarge:
            if not started:
                await _refuse(scope, receive, send, 413, "too_large", "the body is too large")

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._people and _name(host) not in _LOCAL:
            return 403, "refused", "this server answers only to localhost"
        if _from_elsewhere(scope, headers):
            return 403, "refused", "requests from other sites are not accepted"
        person, address = self._person(scope, headers), _address(scope)
        # A right guess among many wrong ones is worth no more than they are.
        stranger = (address, person) not in self._known and not _is_page(scope)
        if stranger and self._guesses.is_spent(address):
            return 429, "too_many", "too many wrong tokens from here: wait a minute"
        if person is None:
            if _is_page(scope):
                return None
            self._guesses.admits(address)
            return 401, "unauthorized", "a token is needed: Authorization: Bearer TOKEN"
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known.add((address, person))
        scope[USER] = person
        if not _is_page(scope) and not self._rate.admits(person):
            return 429, "too_many", "too many requests: wait a moment"
        length = headers.get("content-length", "0")
        most = self._most_bytes(scope)
        if length.isdecimal() and (len(length) > 18 or int(length) > most):
            return 413, "too_large", f"the body is larger than {most} bytes"
        return None

    def _most_bytes(self, scope: Scope) -> int:
        upload = scope.get("method") == "PUT" and scope["path"].startswith("/api/files/")
        return self._max_upload_bytes if upload else self._max_bytes

    def _person(self, scope: Scope, headers: Headers) -> str | None:
        """Whose token this is; without any token configured, everybody here is the owner."""
        if not self._people:
            return self._owner
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if scope["type"] == "websocket" and not given:
            # Browsers cannot set headers on a WebSocket; the subprotocol carries the token.
            offered = [
                name.strip() for name in headers.get("sec-websocket-protocol", "").split(",")
            ]
            tokens = [name.removeprefix(BEARER) for name in offered if name.startswith(BEARER)]
            given = tokens[0] if tokens else ""
        found = None
        for name, token in self._people.items():  # all of them, so that time tells nothing
            if hmac.compare_digest(given.encode(), token.encode()):
                found = name
        return found


class Rate:
    """At most so many requests a minute from one person; a burst of them is fine."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def is_spent(self, person: str) -> bool:
        left, at = self._left.get(person, (float(self._per_minute), 0.0))
        return left + (time.monotonic() - at) * self._per_minute / _WINDOW_S < 1.0

    def admits(self, person: str) -> bool:
        now = time.monotonic()
        left, at = self._left.pop(person, (float(self._per_minute), now))
        left = min(self._per_minute, left + (now - at) * self._per_minute / _WINDOW_S)
        admitted = left >= 1.0
        self._left[person] = (left - 1.0 if admitted else left, now)
        while len(self._left) > 10_000:
            self._left.popitem(last=False)
        return admitted


def _from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Whether a browser says that a page of another origin asks.

    Without a method that changes things it sends no origin, but which kind of site asked: only
    the page itself and what a person typed are let in, and the page may be linked to.
    """
    origin = headers.get("origin")
    if origin is not None:
        try:
            if urlsplit(origin).netloc != headers.get("host", ""):
                return True
        except ValueError:
            return True
    site = headers.get("sec-fetch-site", "none")
    return site not in ("none", "same-origin") and not _is_page(scope)


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _is_page(scope: Scope) -> bool:
    path = scope.get("path", "")
    return (
        scope["type"] == "http"
        and scope.get("method") in ("GET", "HEAD")
        and (path == "/" or path.startswith("/web/"))
    )


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
