"""Deliveries taken in: each once, in one transaction with the job that does it; and the files that
their requests work on, fetched when these begin."""

import shutil
import uuid
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from hammerstone.app.triggers.chats import Chats
from hammerstone.connectors.chats.chat import ChatFile
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest
from hammerstone.core.hashing import digest
from hammerstone.core.jobs import Asker, QueuePlace
from hammerstone.core.json_types import is_dict, is_list
from hammerstone.core.settings import Settings
from hammerstone.core.triggers import Delivery, DeliveryState, Trigger, TriggerKind, TriggerTask
from hammerstone.storage import Database

KIND = "trigger"
BY_HAND = "hand:"  # begins the key of what a person set off
_ID_CHARS = 32

_MOST_FILES = 20


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


class DeliveryFiles:
    """The files that come with a delivery: of a watched folder, a chat message or a webhook."""

    def __init__(self, chats: Chats, deliverer: Deliverer, settings: Settings) -> None:
        self._chats = chats
        self._deliverer = deliverer
        self._most_bytes = settings.max_upload_bytes

    async def files(self, trigger: Trigger, delivery: Delivery, task: TriggerTask) -> list[str]:
        """Where they are; raises `BadRequest` for one that is gone or too large."""
        if trigger.kind is TriggerKind.SCHEDULE:
            return _scheduled(trigger)
        if trigger.kind.is_chat:
            return await self._from_chat(trigger, delivery, task)
        return list(task.files)

    async def _from_chat(
        self, trigger: Trigger, delivery: Delivery, task: TriggerTask
    ) -> list[str]:
        listed = task.place.get("files")
        found: list[str] = []
        for one in listed if is_list(listed) else []:
            if not is_dict(one) or len(found) >= _MOST_FILES:
                continue
            file = ChatFile(str(one["name"]), str(one["where"]), int(one["size_bytes"]))
            content = await self._chats.of(trigger).download(file, self._most_bytes)
            name = Path(file.name.replace("\\", "/")).name.lstrip(".") or "file"
            folder = self._deliverer.files_of(delivery.id)
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / name).write_bytes(content)
            found.append(str(folder / name))
        return list(dict.fromkeys(found))


def _scheduled(trigger: Trigger) -> list[str]:
    listed = trigger.config.get("files")
    found: list[str] = []
    for one in listed if is_list(listed) else []:
        path = Path(str(one))
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.is_file() and not p.is_symlink())
            found += [str(p) for p in inside if not p.name.startswith(".")]
        elif path.is_file():
            found.append(str(path))
        else:
            raise BadRequest(f"{path} is gone", hint="check the path of the trigger")
    if len(found) > _MOST_FILES:
        raise BadRequest(f"there are {len(found)} files; at most {_MOST_FILES} are read")
    return found
