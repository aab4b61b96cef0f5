"""Deliveries taken in: each once, in one transaction with the job that does it."""

import shutil
import uuid
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from hammerstone.core.clock import Clock
from hammerstone.core.hashing import digest
from hammerstone.core.jobs import Asker, QueuePlace
from hammerstone.core.triggers import Delivery, DeliveryState, Trigger, TriggerTask
from hammerstone.storage import Database

KIND = "trigger"
BY_HAND = "hand:"  # begins the key of what a person set off
_ID_CHARS = 32


@dataclass(frozen=True, slots=True)
class TakenDelivery:
    """A delivery, and whether it is a new one or was there before."""

    delivery: Delivery
    new: bool


class Deliverer:
    """The one way in. What belongs to a delivery while it waits is in a folder of its own."""

    def __init__(self, db: Database, clock: Clock, folder: Path) -> None:
        self._db = db
        self._clock = clock
        self._folder = folder

    def new_id(self) -> str:
        return uuid.uuid4().hex

    def files_of(self, id: str) -> Path:
        """Where the files of a delivery lie; made when it is needed."""
        return self._folder / id

    def forget_files(self, id: str) -> None:
        shutil.rmtree(self.files_of(id), ignore_errors=True)

    async def take(
        self,
        trigger: Trigger,
        key: str,
        task: TriggerTask,
        *,
        id: str = "",
        reason: str = "",
        fingerprint: str = "",
    ) -> TakenDelivery:
        """Keep a delivery and its job, together; one whose key was there before changes nothing."""
        id = id or self.new_id()
        run_id = digest("delivery", id)[:_ID_CHARS]
        waiting = Delivery(
            id, trigger.name, key, self._clock.now(), DeliveryState.WAITING,
            reason=reason, run_id=run_id, session_id=task.session_id, fingerprint=fingerprint,
        )  # fmt: skip
        async with self._db.transaction() as stores:
            new = await stores.deliveries.add(waiting)
            if new:
                await stores.jobs.put(
                    KIND,
                    id,
                    Asker(id, task.to_json(), task.session_id),
                    QueuePlace(trigger.user),
                )
            found = waiting if new else await stores.deliveries.by_key(trigger.name, key)
        if not new:
            self.forget_files(id)
        return TakenDelivery(found or waiting, new)

    async def refuse(self, trigger: str, reason: str) -> None:
        """Note that something was turned away; the same within an hour is counted in one row."""
        await self._note(trigger, DeliveryState.REFUSED, reason)

    async def ignore(self, trigger: str, reason: str) -> None:
        """Note that something started nothing, as it should be."""
        await self._note(trigger, DeliveryState.IGNORED, reason)

    async def _note(self, trigger: str, state: DeliveryState, reason: str) -> None:
        now = self._clock.now()
        key = f"{state}:{now:%Y-%m-%dT%H}:{digest(reason)[:16]}"
        one = Delivery(self.new_id(), trigger, key, now, state, reason, finished_at=now)
        await self._db.deliveries.count(one)

    async def looping(self, session_id: str, most: int, within_s: float) -> bool:
        """Whether a conversation goes faster than people write."""
        since = self._clock.now() - timedelta(seconds=within_s)
        return await self._db.deliveries.recent_of_session(session_id, since) >= most
