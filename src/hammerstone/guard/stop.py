"""The stop switch: a run, a session or everything is told to stop, by any process.

The flag is in the database. Whatever costs or changes something asks here first, and is watched
while it happens: each model call, each call of the sandbox and each connector, whichever door it
came through. Every process that has something going looks twice a second and cancels what must not
go on. Models, embedder and sandbox are held at the seams that every door passes (below).
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, HammerstoneError, Stopped
from hammerstone.core.seams import Embedder, Model, Sandbox
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.storage.stores.control.stops import Stop

SCOPES = ("run", "session", "all")
_FRESH_S = 0.05  # a model inside another reads once


class StopStore(Protocol):
    async def put(self, scope: str, target: str, who: str, why: str = "") -> None: ...

    async def list(self) -> list[Stop]: ...

    async def remove(self, scope: str, target: str = "") -> bool: ...


@dataclass(slots=True, eq=False)
class _WatchedTask:
    task: "asyncio.Task[object]"
    run_id: str
    session_id: str
    stopped: Stop | None = None


class StopSwitch:
    """One a process. Costs nothing while nothing runs, and one small read each half second else."""

    def __init__(self, store: StopStore, clock: Clock, *, every_s: float = 0.5) -> None:
        self._store = store
        self._clock = clock
        self._every_s = every_s
        self._stops: Sequence[Stop] = ()
        self._read_s: float | None = None
        self._watched: dict[_WatchedTask, None] = {}  # in the order of entering
        self._poll: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def stop(self, scope: str, target: str = "", *, who: str, why: str = "") -> None:
        """Stop a run, a session, or everything; it stays stopped until resumed."""
        _check_scope(scope, target)
        await self._store.put(scope, target, who, why)
        await self._look()

    async def resume(self, scope: str, target: str = "") -> bool:
        """Let it go on; False when it was not stopped."""
        _check_scope(scope, target)
        gone = await self._store.remove(scope, target)
        await self._look()
        return gone

    async def list(self) -> "list[Stop]":
        """Everything that is stopped now."""
        return await self._store.list()

    async def check(self, run_id: str = "", session_id: str = "", *, fresh: bool = False) -> None:
        """Raise `Stopped` if this must not go on; without a run and a session, if all is stopped.

        The flag is at most half a second old; if it has to be `fresh`, no more than a moment.
        """
        now_s, age_s = self._clock.elapsed_s(), _FRESH_S if fresh else self._every_s
        if self._read_s is None or now_s - self._read_s >= age_s:
            await self._look()
        found = _matching(self._stops, run_id, session_id)
        if found is not None:
            raise stopped_by(found)

    def know_none(self, as_of_s: float) -> None:
        """Somebody has just read that nothing is stopped; the reading began at that time."""
        if self._read_s is None or self._read_s < as_of_s:
            self._stops, self._read_s = (), as_of_s

    @asynccontextmanager
    async def watching(self, run_id: str = "", session_id: str = "") -> AsyncGenerator[None]:
        """Cancel what happens in the block, in this task, once it is told to stop.

        It ends with `Stopped` then; of blocks inside each other the outermost, so that nothing
        in between can take it for a failure of its own. Entering reads nothing: whatever costs
        something asks `check` before.
        """
        task = asyncio.current_task()
        assert task is not None
        mine = _WatchedTask(task, run_id, session_id)
        self._watched[mine] = None
        if self._poll is None or self._poll.done():
            self._poll = asyncio.create_task(self._go_on())
        try:
            yield
        except asyncio.CancelledError:
            if mine.stopped is None or self._outer(mine) is not None or task.uncancel():
                raise
            raise stopped_by(mine.stopped) from None
        finally:
            del self._watched[mine]

    @asynccontextmanager
    async def calling(self, *, fresh: bool = True) -> AsyncGenerator[None]:
        """One call that must neither begin nor go on while everything is stopped."""
        await self.check(fresh=fresh)
        async with self.watching():
            yield

    async def close(self) -> None:
        """Waits for a look that is being taken rather than breaking it off."""
        self._closing.set()
        if self._poll is not None:
            await asyncio.gather(self._poll, return_exceptions=True)

    async def _go_on(self) -> None:
        while self._watched and not self._closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), self._every_s)
                return
            with suppress(HammerstoneError):  # the run itself tells that the database is away
                await self._look()

    async def _look(self) -> None:
        self._stops = await self._store.list()
        self._read_s = self._clock.elapsed_s()
        cancelled = {one.task for one in self._watched if one.stopped is not None}
        for one in [*self._watched]:
            if one.stopped is not None or one.task is asyncio.current_task():
                continue
            one.stopped = _matching(self._stops, one.run_id, one.session_id)
            if one.stopped is not None and one.task not in cancelled:
                cancelled.add(one.task)
                one.task.cancel()

    def _outer(self, mine: _WatchedTask) -> _WatchedTask | None:
        """A block around this one, in the same task, that is told to stop as well."""
        for one in self._watched:
            if one is mine:
                return None
            if one.task is mine.task and one.stopped is not None:
                return one
        return None


def _check_scope(scope: str, target: str) -> None:
    if scope not in SCOPES:
        raise BadRequest(f"a run, a session or everything can be stopped, not {scope!r}")
    if (scope == "all") == bool(target):
        raise BadRequest(f"say which {scope} to stop" if scope != "all" else "--all takes no name")


def stop_of_all(stops: Sequence[Stop]) -> Stop | None:
    """The stop of everything, if there is one."""
    return _matching(stops, "", "")


def _matching(stops: Sequence[Stop], run_id: str, session_id: str) -> Stop | None:
    names = {("all", ""), ("run", run_id), ("session", session_id)}  # no target is empty but all's
    return next((stop for stop in stops if (stop.scope, stop.target) in names), None)


def stopped_by(stop: Stop) -> Stopped:
    """The error that tells who stopped it, when and why, and how it goes on."""
    what = {"all": "everything", "run": "this run", "session": "this session"}[stop.scope]
    option = "" if stop.scope == "all" else f" --{stop.scope} {stop.target}"
    because = f": {stop.why}" if stop.why else ""
    return Stopped(
        f"{what} was stopped by {stop.who} at {stop.at:%Y-%m-%d %H:%M} UTC{because}",
        hint=f"hammerstone resume{option}",
        rule="stopped",
        scope=stop.scope,
        target=stop.target,
    )


class StoppableModel(Wrapper):
    """Refuses a call once everything, or its run or session, is stopped; ends one under way."""

    def __init__(
        self, inner: Model, switch: StopSwitch, run_id: str = "", session_id: str = ""
    ) -> None:
        super().__init__(inner)
        self._switch = switch
        self._run_id = run_id
        self._session_id = session_id

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        await self._switch.check(self._run_id, self._session_id, fresh=True)
        async with self._switch.watching(self._run_id, self._session_id):
            return await self._inner.complete(prompt, on_token=on_token)


class StoppableEmbedder:
    """Embeds nothing while everything is stopped; search goes on with words meanwhile."""

    def __init__(self, inner: Embedder, switch: StopSwitch) -> None:
        self._inner = inner
        self._switch = switch

    @property
    def space(self) -> str:
        return self._inner.space

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        async with self._switch.calling(fresh=False):
            return await self._inner.embed(texts)

    async def close(self) -> None:
        await self._inner.close()


class StoppableSandbox:
    """Runs nothing while everything is stopped; code under way is killed."""

    def __init__(self, inner: Sandbox, switch: StopSwitch) -> None:
        self._inner = inner
        self._switch = switch

    @property
    def backend(self) -> str:
        return self._inner.backend

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        # Calls are quick and many: the flag may be as old as the look that would cancel them.
        async with self._switch.calling(fresh=False):
            return await self._inner.call(program, call, limits=limits, files=files)

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        async with self._switch.calling(fresh=False):
            return await self._inner.matrix(
                programs, calls, limits=limits, case_wall_s=case_wall_s, files=files
            )

    async def close(self) -> None:
        await self._inner.close()


class LazySandbox:
    """The sandbox, opened once, on first use; concurrent first users share the opening."""

    def __init__(self, opening: Callable[[], Awaitable[Sandbox]], switch: StopSwitch) -> None:
        self._opening = opening
        self._switch = switch
        self._lock = asyncio.Lock()
        self.opened: Sandbox | None = None

    async def get(self) -> Sandbox:
        if self.opened is None:
            async with self._lock:
                if self.opened is None:
                    self.opened = StoppableSandbox(await self._opening(), self._switch)
        return self.opened

    async def close(self) -> None:
        async with self._lock:
            if self.opened is not None:
                await self.opened.close()
