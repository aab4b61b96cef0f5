"""Who may come in: token, right, origin, host, rate and size are checked before any route."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.people import Caller, allowed_to
from hammerstone.core.settings import Settings
from hammerstone.serve.api.entrance import EndedToken, Entrance, Entrant, ended
from hammerstone.serve.api.people import CALLER, TARGET, USER
from hammerstone.serve.api.rights import Operation, operation_of
from hammerstone.tracing.warn import warn

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
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_WINDOW_S = 60.0
_GUESSES_PER_MINUTE = 20  # wrong tokens from one address
_MOST_KNOWN = 10_000  # people at addresses
_LOOK_AGAIN_S = 1.0  # how soon a token that was taken back ends what it had opened


class BodyTooLarge(Exception):
    """The body goes on beyond what is allowed."""


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    code: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Admission:
    """Somebody at a route: who, what it is for, and the token that can be taken back."""

    caller: Caller
    operation: Operation | None = None
    token: str = ""


class AccessChecks:
    """Refuses what should not reach the application.

    A page of another origin cannot use the person's browser to talk to the engine, and a name
    that an attacker points at 127.0.0.1 is no way in either. The page itself is open to whoever
    reaches the port, since it holds no data; it asks for the token. Which right a route needs
    says one table (`rights`); a token that is taken back ends what it had opened.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._entrance = Entrance(settings)
        self._max_bytes = settings.max_body_bytes
        self._max_upload_bytes = max(settings.max_upload_bytes, settings.max_body_bytes)
        self._rate = Rate(settings.requests_per_minute)
        self._hooks = Rate(settings.hooks_per_minute)
        self._guesses = Rate(_GUESSES_PER_MINUTE)
        self._known: set[tuple[str, str]] = set()  # addresses from which a person came before

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            admitted = await self._admit(scope)
        except HammerstoneError as error:  # the database, which knows who may come in
            admitted = Refusal(503, error.code, error.message, error.hint)
        if isinstance(admitted, Refusal):
            await _refuse(scope, receive, send, admitted)
            return
        await self._pass(scope, receive, send, admitted)

    async def _pass(
        self, scope: Scope, receive: Receive, send: Send, admitted: Admission | None
    ) -> None:
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
                if admitted is not None and admitted.operation is not None:
                    outcome = "done" if message["status"] < 400 else ""
                    outcome = "refused" if message["status"] == 403 else outcome
                    await _note(scope, admitted.caller, admitted.operation, outcome)
            await send(message)

        try:
            if admitted is None or not admitted.token:
                await self._app(scope, limited, guarded)
                return
            told = await self._until_ended(scope, limited, guarded, admitted.token)
        except BodyTooLarge:
            told = Refusal(413, "too_large", "the body is too large")
        if told is not None and (scope["type"] == "websocket" or not started):
            await _refuse(scope, None, send, told)

    async def _until_ended(
        self, scope: Scope, receive: Receive, send: Send, token: str
    ) -> Refusal | None:
        """Let the application work for as long as the token is good."""
        work = asyncio.ensure_future(self._app(scope, receive, send))
        try:
            while not (await asyncio.wait({work}, timeout=_LOOK_AGAIN_S))[0]:
                told = await _ended(_people(scope), token)
                if told is not None:
                    return Refusal(401, told.code, told.text)
            work.result()
            return None
        finally:
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)

    async def _admit(self, scope: Scope) -> Admission | Refusal | None:
        headers = Headers(scope=scope)
        host, page = headers.get("host", ""), _is_page(scope)
        if _from_elsewhere(scope, headers):
            return Refusal(403, "refused", "requests from other sites are not accepted")
        people = _people(scope)
        # What is signed may come by any name: a tunnel's, or that of the machine.
        named = _name(host) in _LOCAL or _is_hook(scope)
        if not named and not await self._entrance.guarded(people):
            return Refusal(403, "refused", "this server answers only to localhost")
        if page or _is_probe(scope):
            return None
        if _is_hook(scope):
            return self._hooked(scope, headers)
        entry = await self._entrance.enter(scope, people)
        if isinstance(entry, EndedToken):
            return Refusal(401, entry.code, entry.text)
        return self._slowed(scope, entry) or await self._allowed(scope, entry, headers)

    def _hooked(self, scope: Scope, headers: Headers) -> Refusal | None:
        """A call to a trigger's address: its signature is checked there, its size and rate here."""
        if not self._hooks.admits(_address(scope)):
            return Refusal(429, "too_many", "too many calls: wait a moment")
        length = headers.get("content-length", "0")
        if length.isdecimal() and (len(length) > 18 or int(length) > self._max_bytes):
            return Refusal(413, "too_large", f"the body is larger than {self._max_bytes} bytes")
        return None

    def _slowed(self, scope: Scope, entry: Entrant | None) -> Refusal | None:
        """Too many guesses from an address, or too many requests of a person."""
        address = _address(scope)
        name = entry.caller.name if entry else None
        # A right guess among many wrong ones is worth no more than they are.
        if (address, name) not in self._known and self._guesses.is_spent(address):
            return Refusal(429, "too_many", "too many wrong tokens from here: wait a minute")
        if name is None:
            self._guesses.admits(address)
            text = "a token is needed: Authorization: Bearer TOKEN"
            return Refusal(401, "unauthorized", text)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known.add((address, name))
        if not self._rate.admits(name):
            return Refusal(429, "too_many", "too many requests: wait a moment")
        return None

    async def _allowed(
        self, scope: Scope, entry: Entrant | None, headers: Headers
    ) -> Admission | Refusal:
        assert entry is not None
        caller = entry.caller
        scope[USER], scope[CALLER] = caller.name, caller
        operation = operation_of(scope["app"].router.routes, scope)
        if operation is not None and not caller.may(operation.right):
            await _note(scope, caller, operation, "refused")
            text = f"a {caller.role} may not do this"
            return Refusal(403, "refused", text, allowed_to(operation.right))
        length = headers.get("content-length", "0")
        most = self._most_bytes(scope)
        if length.isdecimal() and (len(length) > 18 or int(length) > most):
            return Refusal(413, "too_large", f"the body is larger than {most} bytes")
        if entry.token:
            await _people(scope).used(caller.name)
        return Admission(caller, operation, entry.token)

    def _most_bytes(self, scope: Scope) -> int:
        uploads = ("/api/files/", "/api/documents/files/")
        upload = scope.get("method") == "PUT" and scope["path"].startswith(uploads)
        return self._max_upload_bytes if upload else self._max_bytes


class Rate:
    """At most so many requests a minute from one person; a burst of them is fine."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(10_000)

    def is_spent(self, person: str) -> bool:
        left, at = self._left.get(person, (float(self._per_minute), 0.0))
        return left + (time.monotonic() - at) * self._per_minute / _WINDOW_S < 1.0

    def admits(self, person: str) -> bool:
        now = time.monotonic()
        left, at = self._left.get(person, (float(self._per_minute), now))
        left = min(self._per_minute, left + (now - at) * self._per_minute / _WINDOW_S)
        admitted = left >= 1.0
        self._left[person] = (left - 1.0 if admitted else left, now)
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


def _is_probe(scope: Scope) -> bool:
    """Who sends requests here asks whether to: it has no token, and learns yes or no."""
    asked = scope["type"] == "http" and scope.get("method") in ("GET", "HEAD")
    return asked and scope.get("path", "") in ("/live", "/ready")


def _is_hook(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope.get("method") == "POST"
        and scope.get("path", "").startswith("/hooks/")
    )


def _name(host: str) -> str:
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host


def _people(scope: Scope) -> PeopleBook:
    return scope["app"].state.engine.people


async def _ended(people: PeopleBook, token: str) -> EndedToken | None:
    """What is told about a token that ended meanwhile; a database that is away ends nothing."""
    try:
        return ended(people, await people.by_token(token))
    except HammerstoneError as error:
        warn("a token could not be looked at", error=error.message)
        return None


async def _note(scope: Scope, caller: Caller, operation: Operation, outcome: str) -> None:
    """Put a change of something shared on the list, or the attempt of whoever may not."""
    if not operation.change or not outcome:
        return
    target = str(scope.get(TARGET) or scope["path"].removeprefix("/api/"))
    try:
        await _people(scope).note(caller, operation.change, target, _address(scope), outcome)
    except HammerstoneError as error:
        warn("a change was not put on the audit list", error=error.message)


async def _refuse(scope: Scope, receive: Receive | None, send: Send, refusal: Refusal) -> None:
    """Say no; `receive` is given where the application has not begun."""
    if scope["type"] == "websocket":
        if receive is not None:
            await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.text})
        return
    error = {"code": refusal.code, "message": refusal.text, "hint": refusal.hint}
    document: dict[str, Any] = {"error": error}
    body = json.dumps(document).encode()
    headers = [(b"content-type", b"application/json"), *_HEADERS]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
