"""Who may come in: people with roles and tokens, and the list of what they changed."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound, StorageError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.people import (
    AuditEntry,
    Caller,
    Person,
    PersonRole,
    PersonStanding,
    checked_name,
    new_token,
    token_hash,
)
from hammerstone.core.settings import Settings
from hammerstone.storage import Database
from hammerstone.tracing.warn import warn

_USED_EVERY_S = 60.0  # the last use is kept to the minute, so that reading costs no writing
_LONGEST_DAYS = 3650
_LONGEST_TARGET = 300


@dataclass(frozen=True, slots=True)
class NewPerson:
    """Somebody who was just let in, with the token, which is told this once."""

    person: Person
    token: str = field(repr=False)


class PeopleBook:
    def __init__(self, db: Database, clock: Clock, settings: Settings) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._used: dict[str, float] = {}

    async def add(
        self, name: str, role: PersonRole, *, days: int | None = None, who: str
    ) -> NewPerson:
        """Let somebody in; the token is in the result and nowhere else.

        Raises `BadRequest` for a name that is taken, and where nobody would be left to govern.
        """
        checked_name(name)
        if days is not None and not 1 <= days <= _LONGEST_DAYS:
            raise BadRequest(f"a token is good for 1 to {_LONGEST_DAYS} days, not {days}")
        self._refuse_taken(name, role)
        if role is not PersonRole.OWNER and not await self._governed():
            raise BadRequest(
                "with people in it, nobody comes in without a token, and no owner has one",
                hint="set HAMMERSTONE_TOKEN, or add an owner first: --role owner",
            )
        now = self._clock.now()
        expires = None if days is None else now + timedelta(days=days)
        person = Person(name, role, now, who, expires)
        token = new_token()
        if not await self._db.people.put(person, token_hash(token)):
            raise BadRequest(
                f"{name} is in already", hint=f"hammerstone people revoke {name} ends the old token"
            )
        return NewPerson(person, token)

    async def list(self) -> "list[Person]":
        return await self._db.people.list()

    async def documents(self) -> "list[JsonObject]":
        """Everybody who may come in, those of the settings first."""
        now = self._clock.now()
        return [*self._set(), *(person.to_json(now) for person in await self.list())]

    async def revoke(self, name: str) -> Person:
        """End somebody's token at once; what they made stays theirs."""
        if name in self._settings.tokens:
            raise BadRequest(
                f"{name}'s token is in the settings", hint="remove it from HAMMERSTONE_TOKENS"
            )
        person = await self._db.people.find(name)
        if person is None or person.revoked_at is not None:
            raise NotFound(f"there is no token of {name}", hint="hammerstone people list")
        if await self._last_owner(person):
            raise BadRequest(
                f"{name} is the only owner: the others could not be governed",
                hint="add another owner first, or revoke the others",
            )
        await self._db.people.revoke(name, self._clock.now())
        return person

    async def by_token(self, token: str) -> Person | None:
        """Whose token it is, also one that is expired or revoked."""
        return await self._db.people.by_token(token_hash(token))

    async def by_name(self, name: str) -> Caller | None:
        """Somebody who may come in now, by name; None for whoever may not, or not any more."""
        if name == self._settings.user:
            return Caller(name)
        if name in self._settings.tokens:
            return Caller(name, PersonRole.MEMBER)
        person = await self._db.people.find(name)
        if person is None or self.standing(person) is not PersonStanding.ACTIVE:
            return None
        return Caller(name, person.role)

    async def lost_access(self, name: str) -> bool:
        """Whether somebody was let in once and may not come in any more. A name that was never
        listed is a program's own, or has its token in another process's settings."""
        if name == self._settings.user or name in self._settings.tokens:
            return False
        person = await self._db.people.find(name)
        return person is not None and self.standing(person) is not PersonStanding.ACTIVE

    async def any_active(self) -> bool:
        return await self._db.people.any_active(self._clock.now())

    def standing(self, person: Person) -> PersonStanding:
        return person.standing(self._clock.now())

    async def used(self, name: str) -> None:
        """Note that somebody came in; a database that is away is no reason to stay out."""
        at = self._clock.elapsed_s()
        if at - self._used.get(name, -_USED_EVERY_S) < _USED_EVERY_S:
            return
        self._used[name] = at
        try:
            await self._db.people.used(name, self._clock.now())
        except StorageError as error:
            warn("a token's use was not noted", error=error.message)

    async def note(
        self, caller: Caller, what: str, target: str, place: str, outcome: str = "done"
    ) -> None:
        """Put a change on the list."""
        entry = AuditEntry(
            at=self._clock.now(),
            who=caller.name,
            role=str(caller.role),
            what=what,
            target=target[:_LONGEST_TARGET],
            place=place,
            outcome=outcome,
        )
        await self._db.audit.add(entry)

    async def audit(self, limit: int = 100, who: str | None = None) -> "list[AuditEntry]":
        """What was changed, newest first."""
        return await self._db.audit.list(limit, who)

    def _refuse_taken(self, name: str, role: PersonRole) -> None:
        if name in self._settings.tokens:
            raise BadRequest(f"{name} has a token in the settings", hint="see HAMMERSTONE_TOKENS")
        if name == self._settings.user and role is not PersonRole.OWNER:
            raise BadRequest(f"{name} is the owner of this installation", hint="--role owner")

    async def _governed(self) -> bool:
        """Whether an owner can come in through the web."""
        set_here = self._settings.token or self._settings.user in self._settings.tokens
        return bool(set_here) or bool(await self._active(PersonRole.OWNER))

    async def _active(self, *roles: PersonRole) -> "list[Person]":
        people = await self.list()
        active = [one for one in people if self.standing(one) is PersonStanding.ACTIVE]
        return [one for one in active if one.role in (roles or tuple(PersonRole))]

    async def _last_owner(self, person: Person) -> bool:
        if person.role is not PersonRole.OWNER or self._settings.token:
            return False
        owners = await self._active(PersonRole.OWNER)
        return [one.name for one in owners] == [person.name] and len(await self._active()) > 1

    def _set(self) -> "list[JsonObject]":
        """Whoever comes in by the settings, where nothing ends or is noted."""
        names = dict.fromkeys([*self._settings.tokens], PersonRole.MEMBER)
        if self._settings.token or self._settings.user in names:
            names[self._settings.user] = PersonRole.OWNER
        ends: dict[str, Any] = dict.fromkeys(
            ("created_at", "expires_at", "last_used_at", "revoked_at")
        )
        return [
            {
                "name": name,
                "role": str(role),
                "standing": str(PersonStanding.ACTIVE),
                "created_by": "the settings",
                **ends,
            }
            for name, role in names.items()
        ]
