"""A worker: claims stored work, says that it lives, and ends without losing any of it."""

import asyncio
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.queue.waking import GoOn
from hammerstone.app.queue.worker_book import KINDS
from hammerstone.core.answers import Answer
from hammerstone.core.errors import BadRequest, HammerstoneError, NotFound
from hammerstone.core.holder import holder_name
from hammerstone.core.jobs import Job
from hammerstone.core.version import VERSION
from hammerstone.core.workers import WorkerSign, WorkerState
from hammerstone.run.context import Contacts
from hammerstone.run.durable.run_task import RunTask
from hammerstone.tracing.warn import warn

_NAMED = 20  # pieces of work that a sign of life names


class WorkerProcess:
    """Does the work of one engine: runs side by side, and proofs, learning and triggers' requests
    as a server does them. With every sign of life the file `alive` is touched."""

    def __init__(
        self,
        hs: Hammerstone,
        *,
        name: str = "",
        concurrency: int = 4,
        only: Sequence[str] = (),
        alive: Path | None = None,
    ) -> None:
        unknown = [kind for kind in only if kind not in KINDS]
        if unknown:
            raise BadRequest(f"there is no work of kind {unknown[0]!r}", hint=", ".join(KINDS))
        self._hs = hs
        self._concurrency = concurrency
        self._alive = alive
        self._ending = asyncio.Event()
        self._sign = WorkerSign(
            id=holder_name(),
            name=name or f"{platform.node()}-{os.getpid()}",
            host=platform.node(),
            pid=os.getpid(),
            version=VERSION,
            state=WorkerState.WORKING,
            kinds=tuple(only) or KINDS,
            doing=(),
            done=0,
            since=hs.clock.now(),
        )

    @property
    def name(self) -> str:
        return self._sign.name

    def end(self) -> None:
        """Claim nothing more; finish what is held, within the grace time."""
        self._ending.set()

    async def work(self) -> bool:
        """Work until `end` is called; whether all that was held was finished.

        What was not is given back, so that another worker goes on with it at once.
        """
        signing = asyncio.create_task(self._keep_signing())
        try:
            self._start()
            await self._ending.wait()
            return await self._leave()
        finally:
            signing.cancel()
            await asyncio.gather(signing, return_exceptions=True)
            with suppress(HammerstoneError):  # it is forgotten after a while
                await self._hs.workers.gone(self._sign.id)

    def _start(self) -> None:
        hs, kinds = self._hs, self._sign.kinds
        hs.learns(on="learning" in kinds)
        if "run" in kinds:
            hs.waking.start(self._answer, self._concurrency)
        if "proof" in kinds:
            hs.proofs.worker.start()
        if "trigger" in kinds:
            hs.triggers.driver.start()

    async def _leave(self) -> bool:
        hs = self._hs
        hs.learns(on=False)
        await self._say(WorkerState.LEAVING)
        await asyncio.gather(hs.proofs.worker.close(), hs.triggers.driver.close())
        finished = await hs.waking.finish(hs.policies.get(QueuePolicy).grace_s)
        await hs.waking.close()
        return finished

    async def _answer(self, job: Job, task: RunTask, go_on: GoOn) -> Answer:
        """Answer a run that nobody here watches: what it asks is stored, and waits for a person."""
        if await self._hs.people.lost_access(task.user):
            await self._hs.waking.give_up(job, "its person has no access any more")
            raise NotFound(f"{task.user} has no access any more")
        with self._hs.proofs.traffic.request():
            return await go_on(Contacts())

    async def _keep_signing(self) -> None:
        while True:
            if self._alive is not None:  # also while the database is away: this process is well
                self._alive.touch()
            await self._say(WorkerState.LEAVING if self._ending.is_set() else WorkerState.WORKING)
            await asyncio.sleep(self._hs.policies.get(QueuePolicy).sign_every_s)

    async def _say(self, state: WorkerState) -> None:
        hs = self._hs
        doing = [f"run {id}" for id in hs.waking.doing]
        doing += [f"proof {key[:12]}" for key in hs.proofs.worker.doing]
        doing += [f"trigger {key}" for key in hs.triggers.runner.doing]
        done = hs.waking.done + hs.proofs.worker.done
        try:
            await hs.workers.sign(self._sign, state, doing[:_NAMED], done)
        except HammerstoneError as error:  # a database that is away comes back
            warn("a worker could not give a sign of life", error=error.message)
