"""What the stop switch holds: models, embedder and sandbox, at the seams that every door passes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.seams import Embedder, Model, Sandbox
from hammerstone.guard.stop import StopSwitch
from hammerstone.models.wrappers.wrapper import Wrapper


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
