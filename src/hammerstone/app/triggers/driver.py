"""Drives triggers: looks for what is due, and works it off, until it is closed."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from hammerstone.app.triggers.chat_intake import ChatIntake
from hammerstone.app.triggers.chats import Chats
from hammerstone.app.triggers.folder_watch import FolderWatch
from hammerstone.app.triggers.schedules import DueSchedules
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.app.triggers.trigger_runner import TriggerRunner
from hammerstone.connectors.chats.chat import ButtonPress, ChatGone
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.errors import BadRequest, HammerstoneError, NotFound
from hammerstone.core.triggers import Trigger, TriggerKind
from hammerstone.run.services import Guards, Records
from hammerstone.tracing.warn import warn

_POLL_S = 20  # how long Telegram keeps a question for news open
_POLL_LEASE_S = 45.0
_AFTER_TROUBLE_S = 15.0


class TriggerDriver:
    """One a process. Several may run: each tick, file and message is taken once by its key."""

    def __init__(
        self,
        records: Records,
        guards: Guards,
        runner: TriggerRunner,
        due: DueSchedules,
        folders: FolderWatch,
        chats: tuple[Chats, ChatIntake],
    ) -> None:
        self._db = records.db
        self._guards = guards
        self._runner = runner
        self._due = due
        self._folders = folders
        self._chats, self._intake = chats
        self._holder = uuid.uuid4().hex
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._polls: dict[str, asyncio.Task[None]] = {}

    def wake(self) -> None:
        """There is something to do."""
        self._news.set()

    def start(self) -> None:
        """Look and work in the background from now on."""
        if self._tasks:
            return
        many = self._guards.policies.get(TriggerPolicy).side_by_side
        self._tasks = [asyncio.create_task(self._forever(self._look_and_wait))]
        self._tasks += [asyncio.create_task(self._forever(self._work)) for _ in range(int(many))]

    async def close(self) -> None:
        """Stop at once; what is broken off waits for whoever comes next."""
        tasks = [*self._tasks, *self._polls.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks, self._polls = [], {}
        await self._chats.close()

    async def look(self) -> int:
        """Take in what is due now: ticks and files. Raises `Stopped` while all is stopped."""
        await self._guards.stop.check(fresh=True)
        started = 0
        found = await self._db.triggers.list()
        for trigger in found:
            if trigger.paused:
                continue
            if trigger.kind is TriggerKind.SCHEDULE:
                started += await self._due.look(trigger)
            elif trigger.kind is TriggerKind.FOLDER:
                started += await self._folders.look(trigger)
        self._keep_polling(found)
        return started

    async def poll(self, trigger: Trigger, after: int | None, wait_s: int = 0) -> int | None:
        """Take in what Telegram has; the number to ask on from."""
        chat: Any = self._chats.of(trigger)
        found, after = await chat.news(after, wait_s)
        for one in found:
            if isinstance(one, ButtonPress):
                with suppress(BadRequest, NotFound):
                    await self._intake.press(trigger, one)
            else:
                await self._intake.hear(trigger, one)
        if found:
            self.wake()
        return after

    def _keep_polling(self, triggers: list[Trigger]) -> None:
        """One task for each Telegram trigger that is active, none for the others."""
        wanted = {
            one.name: one
            for one in triggers
            if one.kind is TriggerKind.TELEGRAM and not one.paused and self._tasks
        }
        for name, task in [*self._polls.items()]:
            if name not in wanted or task.done():
                task.cancel()
                del self._polls[name]
        for name, trigger in wanted.items():
            if name not in self._polls:
                self._polls[name] = asyncio.create_task(self._polling(trigger))

    async def _polling(self, trigger: Trigger) -> None:
        """Ask Telegram for news while this process is the one that does."""
        after: int | None = None
        while True:
            lease = await self._db.leases.take(
                f"telegram {trigger.name}", self._holder, _POLL_LEASE_S
            )
            if lease is None:
                await asyncio.sleep(_POLL_LEASE_S / 3)
                continue
            try:
                await self._guards.stop.check(fresh=True)
                after = await self.poll(trigger, after, _POLL_S)
            except (ChatGone, ServiceDown, HammerstoneError) as error:
                warn("no news of a chat", trigger=trigger.name, error=error.message)
                await asyncio.sleep(_AFTER_TROUBLE_S)

    async def _look_and_wait(self) -> None:
        if await self.look():
            self.wake()
        await asyncio.sleep(self._guards.policies.get(TriggerPolicy).look_every_s)

    async def _work(self) -> None:
        """Do what waits, one after the other; then wait for news, or look again after a while."""
        if await self._runner.do_next() is not None:
            return
        self._news.clear()
        every_s = self._guards.policies.get(TriggerPolicy).look_every_s
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), every_s)

    async def _forever(self, step: Callable[[], Awaitable[None]]) -> None:
        """Go on, whatever goes wrong: a database or a model that is away comes back."""
        while True:
            try:
                await step()
            except HammerstoneError as error:
                if error.code != "stopped":
                    warn("a trigger could not be worked on", error=error.message)
                await asyncio.sleep(1.0)
            except Exception as error:
                warn("a trigger could not be worked on", error=repr(error)[:300])
                await asyncio.sleep(_AFTER_TROUBLE_S)
