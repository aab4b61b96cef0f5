"""People who share an installation: roles, the rights of each, and their tokens."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.json_types import JsonObject

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_RANDOM_BYTES = 32
_MARK = "hs_"  # so that a token is recognised where it should not be


class PersonRole(StrEnum):
    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


class Right(StrEnum):
    READ = "read"  # what is shared, and the own sessions, traces, memory and files
    ASK = "ask"  # ask and call tools; change what is one's own
    BUILD = "build"  # what one asks for becomes a shared tool; say what is right; allow actions
    GOVERN = "govern"  # what holds for everybody: policies, import, restore, stop, learning
    PEOPLE = "people"  # who may come in, and who changed what


RIGHTS: dict[PersonRole, frozenset[Right]] = {
    PersonRole.GUEST: frozenset({Right.READ, Right.ASK}),
    PersonRole.MEMBER: frozenset({Right.READ, Right.ASK, Right.BUILD}),
    PersonRole.OWNER: frozenset(Right),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is at a door, and as what."""

    name: str
    role: PersonRole = PersonRole.OWNER

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right, what: str) -> None:
        """Raises `Refused` where the role has no such right."""
        if not self.may(right):
            raise Refused(f"a {self.role} may not {what}", hint=allowed_to(right))


class PersonStanding(StrEnum):
    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was let in, without the token, of which only a hash is kept."""

    name: str
    role: PersonRole
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def standing(self, now: datetime) -> PersonStanding:
        if self.revoked_at is not None:
            return PersonStanding.REVOKED
        expired = self.expires_at is not None and self.expires_at <= now
        return PersonStanding.EXPIRED if expired else PersonStanding.ACTIVE

    def to_json(self, now: datetime) -> JsonObject:
        times = ("created_at", "expires_at", "last_used_at", "revoked_at")
        moments = {name: getattr(self, name) for name in times}
        return {
            "name": self.name,
            "role": str(self.role),
            "standing": str(self.standing(now)),
            "created_by": self.created_by,
            **{name: at.isoformat() if at else None for name, at in moments.items()},
        }


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change of what is shared: who made it, as what, and from where."""

    at: datetime
    who: str
    role: str
    what: str
    target: str
    place: str
    outcome: str = "done"  # or refused

    def to_json(self) -> JsonObject:
        return {
            "at": self.at.isoformat(),
            "who": self.who,
            "role": self.role,
            "what": self.what,
            "target": self.target,
            "place": self.place,
            "outcome": self.outcome,
        }


def allowed_to(right: Right) -> str:
    """Which roles have a right, in words."""
    roles = [f"{role}s" for role in PersonRole if right in RIGHTS[role]]
    return f"{' and '.join(roles)} may"


def checked_name(name: str) -> str:
    """A person's name; raises `BadRequest` for one that cannot be a name."""
    if not _NAME.fullmatch(name):
        raise BadRequest(
            f"{name[:80]!r} is no name for a person",
            hint="letters, digits, and . _ @ - inside; at most 64",
        )
    return name


def new_token() -> str:
    """A token nobody can guess; also usable as a WebSocket's subprotocol."""
    return _MARK + secrets.token_urlsafe(_RANDOM_BYTES)


def token_hash(token: str) -> str:
    """What is stored of a token. It is 32 random bytes, so a plain hash cannot be undone."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
