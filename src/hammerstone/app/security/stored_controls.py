"""Controls whose state is in the database, which is read once: versions, the stop switch, maturity,
approvals, the audit list."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from hammerstone.app.security.control import SecurityControl, off, ok, weak
from hammerstone.core.clock import SystemClock
from hammerstone.core.people import AuditEntry, PersonStanding
from hammerstone.core.settings import Settings
from hammerstone.guard.approvals import ApprovalDesk, ApprovalPolicy
from hammerstone.guard.maturity import MaturityLevel, MaturityPolicy, level_in_force
from hammerstone.guard.stop import stop_of_all
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from hammerstone.storage.files.check import VersionCheck, check_versions
from hammerstone.storage.files.location import locate
from hammerstone.storage.stores.control.stops import Stop

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_WAITING = 1000

_LIFTED = {"ask_for_connectors": "connectors", "ask_for_heavy": "heavy limits"}


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


def stored_controls(stored: StoredState) -> list[SecurityControl]:
    return [
        versions(stored),
        stop_switch(stored),
        maturity(stored),
        approvals(stored),
        audit(stored),
    ]


def versions(stored: StoredState) -> SecurityControl:
    """Whether every stored version of a tool is still what its hash says."""
    name, found = "tool versions", stored.versions
    if found.damaged:
        detail = f"{found.damaged} of {found.checked} do not match their hash, and are not run"
        return off(name, detail, "hammerstone db check names them; a backup has the originals")
    return ok(name, f"{found.checked} hashes checked, none damaged")


def stop_switch(stored: StoredState) -> SecurityControl:
    name, everything = "stop switch", stop_of_all(stored.stops)
    if everything is not None:
        by = f"{everything.who} at {everything.at:%Y-%m-%d %H:%M} UTC"
        return ok(name, f"pressed by {by}: nothing runs until `hammerstone resume`")
    single = f", {len(stored.stops)} runs or sessions stopped" if stored.stops else ""
    return ok(name, f"ready: `hammerstone stop --all`{single}")


def maturity(stored: StoredState) -> SecurityControl:
    """What the agent may do without a person's leave."""
    name, level = "maturity level", level_in_force(stored.maturity)
    in_force = f"{level:d} {level.name.lower()}"
    if level is MaturityLevel.AUTONOMOUS:
        detail = f"{in_force}: asks only before what cannot be undone"
        return weak(name, detail, 'hammerstone policies set maturity level=4 --why "..."')
    lifted = [word for field, word in _LIFTED.items() if not getattr(stored.maturity, field)]
    if lifted:
        values = " ".join(f"{field}=true" for field, word in _LIFTED.items() if word in lifted)
        detail = f"{in_force}, but does not ask before {' and '.join(lifted)}"
        return weak(name, detail, f'hammerstone policies set maturity {values} --why "..."')
    return ok(name, f"{in_force}: asks before writing, connectors and heavy limits")


def approvals(stored: StoredState) -> SecurityControl:
    waits = f"no answer within {stored.approvals.wait_s:.0f} s is a no"
    return ok("approvals", f"{stored.waiting} wait for a person; {waits}")


def audit(stored: StoredState) -> SecurityControl:
    last = stored.last_change
    if last is None:
        return ok("audit list", "on; nothing that people share was changed yet")
    return ok("audit list", f"kept; last change {last.at:%Y-%m-%d %H:%M} UTC by {last.who}")
