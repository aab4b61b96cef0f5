"""What the database says about protection, read once."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from hammerstone.core.clock import SystemClock
from hammerstone.core.people import AuditEntry, PersonStanding
from hammerstone.core.settings import Settings
from hammerstone.guard.approvals import ApprovalDesk, ApprovalPolicy
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from hammerstone.storage.files.check import VersionCheck, check_versions
from hammerstone.storage.files.location import locate
from hammerstone.storage.stores.control.stops import Stop

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_WAITING = 1000


@dataclass(frozen=True, slots=True)
class StoredState:
    """The defaults are those of a library that nobody has used yet."""

    people: tuple[str, ...] = ()  # whose token is good
    unhashed: tuple[str, ...] = ()  # people whose token is stored as something else than a hash
    versions: VersionCheck = field(default_factory=VersionCheck)
    stops: tuple[Stop, ...] = ()
    maturity: MaturityPolicy = field(default_factory=MaturityPolicy)
    approvals: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    waiting: int = 0  # approvals that nobody has decided
    last_change: AuditEntry | None = None


async def stored_state(settings: Settings) -> StoredState:
    """What is stored now; raises `HammerstoneError` for a database that cannot be used."""
    if _is_missing(locate(settings).file):
        return StoredState()
    db = await Database.open(settings)
    try:
        return await _read(db)
    finally:
        await db.close()


def _is_missing(file: Path | None) -> bool:
    """Whether there is no database yet; one that cannot be looked at is opened, and says why."""
    try:
        return file is not None and not file.exists()
    except OSError:
        return False


async def _read(db: Database) -> StoredState:
    clock = SystemClock()
    now = clock.now()
    policies = Policies(db, (MaturityPolicy, ApprovalPolicy))
    await policies.load()
    people = await db.people.list()
    hashes = await db.people.token_hashes()
    changes = await db.audit.list(1)
    return StoredState(
        people=tuple(one.name for one in people if one.standing(now) is PersonStanding.ACTIVE),
        unhashed=tuple(name for name, kept in hashes.items() if not _SHA256.fullmatch(kept)),
        versions=await check_versions(db),
        stops=tuple(await db.stops.list()),
        maturity=policies.get(MaturityPolicy),
        approvals=policies.get(ApprovalPolicy),
        waiting=len(await ApprovalDesk(db, clock).list(limit=_MOST_WAITING)),
        last_change=changes[0] if changes else None,
    )
