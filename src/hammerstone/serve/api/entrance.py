"""Whose token it is: one of the settings, or of somebody who was let in."""

import hmac
import time
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import Scope

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.core.people import Caller, Person, PersonRole, PersonStanding
from hammerstone.core.settings import Settings

BEARER = "bearer."  # before the token, as a WebSocket's subprotocol
_LOOK_EVERY_S = 1.0  # how soon a door that was open notices that people were let in
_ENDED = {
    PersonStanding.EXPIRED: ("token_expired", "this token has expired: ask an owner for a new one"),
    PersonStanding.REVOKED: ("token_revoked", "this token was revoked"),
}


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who comes in. `token` is set where it can be taken back while they are in."""

    caller: Caller
    token: str = ""


@dataclass(frozen=True, slots=True)
class EndedToken:
    """A token that was good once, and what is told about it."""

    code: str
    text: str


class Entrance:
    def __init__(self, settings: Settings) -> None:
        self._owner = Caller(settings.user)
        self._set = {
            name: token.get_secret_value()
            for name, token in settings.tokens.items()
            if name != settings.user or not settings.token
        }
        if settings.token:
            self._set[settings.user] = settings.token.get_secret_value()
        self._peopled = False
        self._looked_s: float | None = None

    async def guarded(self, people: PeopleBook) -> bool:
        """Whether a token is needed: one is set, or people were let in."""
        if self._set:
            return True
        now = time.monotonic()
        if self._looked_s is None or now - self._looked_s >= _LOOK_EVERY_S:
            self._peopled = await people.any_active()
            self._looked_s = now
        return self._peopled

    async def enter(self, scope: Scope, people: PeopleBook) -> Entrant | EndedToken | None:
        """Who comes in; None for somebody unknown. Without any token, everybody is the owner."""
        if not await self.guarded(people):
            return Entrant(self._owner)
        given = given_token(scope)
        found = None
        for name, token in self._set.items():  # all of them, so that time tells nothing
            if hmac.compare_digest(given.encode(), token.encode()):
                found = name
        if found is not None:
            own = found == self._owner.name
            return Entrant(self._owner if own else Caller(found, PersonRole.MEMBER))
        person = await people.by_token(given) if given else None
        if person is None:
            return None
        return ended(people, person) or Entrant(Caller(person.name, person.role), given)


def ended(people: PeopleBook, person: Person | None) -> EndedToken | None:
    """What is told about a token that is not good any more."""
    standing = PersonStanding.REVOKED if person is None else people.standing(person)
    return EndedToken(*_ENDED[standing]) if standing in _ENDED else None


def given_token(scope: Scope) -> str:
    headers = Headers(scope=scope)
    given = headers.get("authorization", "").removeprefix("Bearer ")
    if scope["type"] == "websocket" and not given:
        # Browsers cannot set headers on a WebSocket; the subprotocol carries the token.
        offered = [name.strip() for name in headers.get("sec-websocket-protocol", "").split(",")]
        tokens = [name.removeprefix(BEARER) for name in offered if name.startswith(BEARER)]
        given = tokens[0] if tokens else ""
    return given
