"""Schedules: cron text in a time zone, and those whose time has come: each tick once, those that
were missed once together."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest
from hammerstone.core.hashing import digest
from hammerstone.core.triggers import Trigger, TriggerTask
from hammerstone.storage import Database

_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
_A_CHANGE = timedelta(hours=3)  # more than any change of the clocks


def checked_zone(name: str) -> ZoneInfo:
    """A time zone by its name; raises `BadRequest` for one that is not known."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadRequest(
            f"there is no time zone {name[:80]!r}", hint="for example Europe/Berlin, or UTC"
        ) from None


def checked_cron(text: str) -> str:
    """Cron text of five fields, or @daily and its like; raises `BadRequest` for any other."""
    cron = _NICKNAMES.get(text.strip().lower(), " ".join(text.split()))
    try:
        if len(cron.split()) != 5:
            raise CronSimError("it needs five fields: minute hour day month weekday")
        next(CronSim(cron, datetime(2026, 1, 1, tzinfo=UTC)))
    except (CronSimError, StopIteration) as error:
        why = str(error) or "no day fits it"
        raise BadRequest(
            f"{text[:80]!r} is no time of a schedule: {why}",
            hint="for example '0 8 * * 1' for Mondays at 8:00, or @daily",
        ) from None
    return cron


def next_tick(cron: str, zone: str, after: datetime) -> datetime:
    """The first tick after a moment, in UTC.

    As Debian's cron does: what should run at a time that the clocks leave out runs when they
    have moved, and what falls into the hour that comes twice runs once; what runs every hour or
    oftener follows the time that really passes.
    """
    place = checked_zone(zone)
    tick = _first(cron, place, after)
    if tick.astimezone(place).utcoffset() == after.astimezone(place).utcoffset():
        return tick
    # Where clocks change by half an hour, the library's steps of an hour pass over a tick; those
    # that begin after the change do not.
    change = _changed_between(place, after, tick)
    later = (_first(cron, place, change + timedelta(minutes=late)) for late in (0, 30, 60))
    return min(tick, *later)


def _first(cron: str, place: ZoneInfo, after: datetime) -> datetime:
    for tick in CronSim(cron, after.astimezone(place)):
        if tick > after:  # in the hour that comes twice the first one may be behind us
            return tick.astimezone(UTC)
    raise BadRequest(f"{cron!r} never comes again")


def _changed_between(place: ZoneInfo, first: datetime, last: datetime) -> datetime:
    """The moment, to the second, at which the clocks of a place are changed."""
    before = first.astimezone(place).utcoffset()
    low, high = int(first.timestamp()), int(last.timestamp())
    while high - low > 1:
        middle = (low + high) // 2
        moment = datetime.fromtimestamp(middle, UTC)
        if moment.astimezone(place).utcoffset() == before:
            low = middle
        else:
            high = middle
    return datetime.fromtimestamp(high, UTC)


def last_tick(cron: str, zone: str, first: datetime, now: datetime) -> datetime:
    """The latest tick up to now, where `first` was due: those in between were missed."""
    local = now.astimezone(checked_zone(zone)).replace(microsecond=0)
    near = next(CronSim(cron, local, reverse=True)).astimezone(UTC)
    # Backwards the changes of the clocks are met from the other side, so the last step is forward.
    latest, tick = first, next_tick(cron, zone, max(first, near - _A_CHANGE))
    while tick <= now:
        latest, tick = tick, next_tick(cron, zone, tick)
    return latest


class DueSchedules:
    def __init__(self, db: Database, deliverer: Deliverer, clock: Clock) -> None:
        self._db = db
        self._deliverer = deliverer
        self._clock = clock

    async def look(self, trigger: Trigger) -> bool:
        """Start the request of a schedule if it is due; whether this process did.

        The tick is a delivery's key, so it runs once however many processes look. A process
        that dies between the two writes leaves the tick due, and the next look finds it taken.
        """
        due, now = trigger.next_at, self._clock.now()
        if due is None or due > now:
            return False
        cron, zone = str(trigger.config["cron"]), str(trigger.config["zone"])
        tick = last_tick(cron, zone, due, now)
        task = schedule_task(trigger, tick.isoformat())
        missed = "" if tick == due else f"also for the times since {due:%Y-%m-%d %H:%M} UTC"
        taken = await self._deliverer.take(trigger, f"tick:{tick.isoformat()}", task, reason=missed)
        await self._db.triggers.move_on(trigger.name, due, next_tick(cron, zone, tick))
        return taken.new


def schedule_task(trigger: Trigger, when: str) -> TriggerTask:
    """What a schedule asks; its files are looked up when it runs."""
    session = digest(trigger.name, "tick", when)[:32]
    return TriggerTask(trigger.name, trigger.request, session)
