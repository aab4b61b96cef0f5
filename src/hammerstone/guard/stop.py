"""The stop switch: a run, a session or everything is told to stop, by any process.

The flag is in the database. Every process that has a run going looks at it twice a second and
cancels what must not go on; before a model or a tool is called it is looked at again.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, HammerstoneError, Refused
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.storage.stops import Stop

SCOPES = ("run", "session", "all")


class StopStore(Protocol):
    async def put(self, scope: str, target: str, who: str, why: str = "") -> None: ...

    async def list(self) -> list[Stop]: ...

    async def remove(self, scope: str, target: str = "") -> bool: ...


@dataclass(slots=True, eq=False)
class _Watched:
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
        self._watched: set[_Watched] = set()
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

    async def check(self, run_id: str, session_id: str) -> None:
        """Raise `Refused` if this run must not go on; the flag is at most half a second old."""
        now_s = self._clock.elapsed_s()
        if self._read_s is None or now_s - self._read_s >= self._every_s:
            await self._look()
        found = _matching(self._stops, run_id, session_id)
        if found is not None:
            raise _refusal(found)

    @asynccontextmanager
    async def watching(self, run_id: str, session_id: str) -> AsyncGenerator[None]:
        """Cancel what happens in the block, in this task, once it is told to stop.

        It ends with `Refused` then. Entering reads nothing: whatever costs something asks
        `check` before.
        """
        task = asyncio.current_task()
        assert task is not None
        mine = _Watched(task, run_id, session_id)
        self._watched.add(mine)
        if self._poll is None or self._poll.done():
            self._poll = asyncio.create_task(self._go_on())
        try:
            yield
        except asyncio.CancelledError:
            if mine.stopped is None:
                raise
            task.uncancel()
            raise _refusal(mine.stopped) from None
        finally:
            self._watched.discard(mine)

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
        for one in [*self._watched]:
            found = _matching(self._stops, one.run_id, one.session_id)
            if found is not None and one.stopped is None:
                one.stopped = found
                if one.task is not asyncio.current_task():
                    one.task.cancel()


class StoppableModel(Wrapper):
    """Refuses a call once its run must not go on."""

    def __init__(self, inner: Model, switch: StopSwitch, run_id: str, session_id: str) -> None:
        super().__init__(inner)
        self._switch = switch
        self._run_id = run_id
        self._session_id = session_id

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        await self._switch.check(self._run_id, self._session_id)
        return await self._inner.complete(prompt, on_token=on_token)


def _check_scope(scope: str, target: str) -> None:
    if scope not in SCOPES:
        raise BadRequest(f"a run, a session or all can be stopped, not {scope!r}")
    if (scope == "all") == bool(target):
        raise BadRequest(f"name the {scope} to stop" if scope != "all" else "all has no name")


def _matching(stops: Sequence[Stop], run_id: str, session_id: str) -> Stop | None:
    names = {("all", ""), ("run", run_id), ("session", session_id)}
    return next((stop for stop in stops if (stop.scope, stop.target) in names), None)


def _refusal(stop: Stop) -> Refused:
    what = {"all": "everything", "run": "this run", "session": "this session"}[stop.scope]
    option = "" if stop.scope == "all" else f" --{stop.scope} {stop.target}"
    because = f": {stop.why}" if stop.why else ""
    return Refused(
        f"{what} was stopped by {stop.who} at {stop.at:%Y-%m-%d %H:%M} UTC{because}",
        hint=f"hammerstone resume{option}",
        rule="stopped",
        scope=stop.scope,
        target=stop.target,
    )
