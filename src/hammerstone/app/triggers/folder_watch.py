"""Folders that are watched: a new or changed file starts one request, once it stays the same.

The folder is looked through at intervals. Notices of the system would be quicker and are missing
on network folders and in containers, where files come from most; a look costs one listing.
"""

import asyncio
import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest
from hammerstone.core.hashing import digest
from hammerstone.core.settings import Settings
from hammerstone.core.triggers import Delivery, DeliveryState, Trigger, TriggerTask
from hammerstone.guard.request import FILE_LIMIT_BYTES
from hammerstone.library.policies import Policies
from hammerstone.storage import Database


@dataclass(frozen=True, slots=True)
class FileLook:
    """A file as one look found it."""

    path: Path
    size: int
    changed_ns: int


class FolderWatch:
    def __init__(
        self,
        db: Database,
        deliverer: Deliverer,
        policies: Policies,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._db = db
        self._deliverer = deliverer
        self._policies = policies
        self._clock = clock
        self._most_bytes = min(settings.max_upload_bytes, FILE_LIMIT_BYTES)
        self._before: dict[str, dict[Path, FileLook]] = {}  # the last look at each trigger's
        self._done: dict[str, set[FileLook]] = {}

    async def look(self, trigger: Trigger) -> int:
        """Start a request for each file that is new and stays as it is; how many."""
        policy = self._policies.get(TriggerPolicy)
        try:
            seen = await asyncio.to_thread(_listed, trigger, policy.most_files)
        except OSError as error:
            why = error.strerror or "it is gone"
            await self._deliverer.refuse(
                trigger.name, f"the folder {trigger.config['folder']} cannot be read: {why}"
            )
            return 0
        except BadRequest as error:
            await self._deliverer.refuse(trigger.name, error.message)
            return 0
        before = self._before.get(trigger.name, {})
        done = self._done.setdefault(trigger.name, set())
        self._before[trigger.name] = {one.path: one for one in seen}
        now_ns = self._clock.now().timestamp() * 1e9
        started = 0
        for one in seen:
            same = before.get(one.path) == one and now_ns - one.changed_ns > policy.settle_s * 1e9
            if same and one not in done:
                started += await self._start(trigger, one)
                done.add(one)
        done &= set(seen)
        return started

    async def note_existing(self, trigger: Trigger) -> None:
        """Note the files that are there when a trigger is added: they start nothing."""
        now = self._clock.now()
        most = self._policies.get(TriggerPolicy).most_files
        for one in await asyncio.to_thread(_listed, trigger, most):
            key = f"file:{one.path.name}:{await asyncio.to_thread(_hash, one.path)}"
            before = Delivery(
                self._deliverer.new_id(),
                trigger.name,
                key,
                now,
                DeliveryState.IGNORED,
                f"{one.path.name} was there before the trigger",
                finished_at=now,
            )
            await self._db.deliveries.add(before)

    async def _start(self, trigger: Trigger, file: FileLook) -> int:
        if file.size > self._most_bytes:
            text = (
                f"{file.path.name} has {file.size:,} bytes; at most {self._most_bytes:,} are read"
            )
            await self._deliverer.refuse(trigger.name, text)
            return 0
        id = self._deliverer.new_id()
        copy = self._deliverer.files_of(id) / file.path.name
        try:
            found = await asyncio.to_thread(_copied, file, copy)
        except OSError:  # it went away between two looks
            found = None
        if found is None:  # it changed while it was read: another look will tell
            self._deliverer.forget_files(id)
            return 0
        key = f"file:{file.path.name}:{found}"
        session = digest(trigger.name, key)[:32]
        task = TriggerTask(trigger.name, trigger.request, session, (str(copy),))
        taken = await self._deliverer.take(trigger, key, task, id=id, reason=file.path.name)
        return int(taken.new)


def _listed(trigger: Trigger, most: int) -> list[FileLook]:
    """The plain files of a folder, without what is hidden; links are not followed."""
    folder, pattern = Path(str(trigger.config["folder"])), str(trigger.config["pattern"])
    found: list[FileLook] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            hidden = entry.name.startswith((".", "~"))
            if hidden or not Path(entry.name).match(pattern):
                continue
            if not entry.is_file(follow_symlinks=False):
                continue
            about = entry.stat(follow_symlinks=False)
            found.append(FileLook(folder / entry.name, about.st_size, about.st_mtime_ns))
            if len(found) > most:
                raise BadRequest(f"{folder} has more than {most:,} files: too many to watch")
    return sorted(found, key=lambda one: (one.changed_ns, one.path.name))


def _copied(file: FileLook, copy: Path) -> str | None:
    """The hash of a file, of which a copy is made; None where it changed meanwhile."""
    copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.copyfile(file.path, copy, follow_symlinks=False)
    about = file.path.lstat()
    if (about.st_size, about.st_mtime_ns) != (file.size, file.changed_ns):
        return None
    return _hash(copy)


def _hash(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
