"""Workers and the queue as people see them: `hs.workers`."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.core.holder import is_dead
from hammerstone.core.json_types import JsonObject
from hammerstone.core.workers import WorkerSign, WorkerState
from hammerstone.library.policies import Policies
from hammerstone.run.durable.dead_leases import end_dead_leases
from hammerstone.storage import Database

KINDS = ("run", "proof", "learning", "trigger")
"""The kinds of work that a worker does, as `--only` names them."""
_SILENT_SIGNS = 4  # signs that may be missing before a worker counts as silent


class WorkerBook:
    def __init__(self, db: Database, policies: Policies) -> None:
        self._db = db
        self._policies = policies

    async def list(self) -> "list[WorkerSign]":
        """The workers that gave a sign lately, and those that fell silent within the last hour.

        One of this machine whose process is gone is forgotten at once.
        """
        found = await self._db.workers.list(self._policies.get(QueuePolicy).keep_workers_s)
        gone = {one.id for one in found if is_dead(one.id)}
        for id in gone:
            await self._db.workers.remove(id)
        return [one for one in found if one.id not in gone]

    def silent(self, worker: WorkerSign) -> bool:
        """Whether a worker has missed so many signs that it is probably gone, or hangs."""
        return worker.silent_s > _SILENT_SIGNS * self._policies.get(QueuePolicy).sign_every_s

    async def sign(
        self, worker: WorkerSign, state: WorkerState, doing: Sequence[str], done: int
    ) -> None:
        """Say that a worker lives, and what it does."""
        await self._db.workers.sign(replace(worker, state=state, doing=tuple(doing), done=done))

    async def gone(self, id: str) -> None:
        """A worker has ended."""
        await self._db.workers.remove(id)

    async def show(self) -> JsonObject:
        """Workers, and how much of each kind waits and is held."""
        workers = await self.list()
        queues: JsonObject = {}
        for kind in KINDS:
            await end_dead_leases(self._db.jobs, kind)  # else they would count as held
            counts = await self._db.jobs.counts(kind)
            queues[kind] = {"waiting": counts.waiting, "held": counts.held}
        shown = [{**one.to_json(), "silent": self.silent(one)} for one in workers]
        return {"workers": [*shown], "queues": queues}
