"""Schedules whose time has come: each tick once, those that were missed once together."""

from hammerstone.app.triggers.cron import last_tick, next_tick
from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.core.clock import Clock
from hammerstone.core.hashing import digest
from hammerstone.core.triggers import Trigger, TriggerTask
from hammerstone.storage import Database


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
