"""What comes after an answer: it is recorded and remembered, its proof is owed, others learn."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.pending import Pending
from hammerstone.core.seams import Listener, Proofs
from hammerstone.run.act.execute import ToolCalls
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.context import Run
from hammerstone.run.request import Request
from hammerstone.tracing.warn import warn

_MOST_WAITING = 64


class Background:
    """Work that nobody waits for: it is finished before the engine closes, and never piles up."""

    def __init__(self) -> None:
        self._pending = Pending()
        self._room = asyncio.Semaphore(_MOST_WAITING)  # those who wait for room take turns

    @property
    def idle(self) -> bool:
        return not len(self._pending)

    async def add(self, work: Coroutine[Any, Any, None], about: str) -> None:
        """Do it soon; waits only while too much is waiting already."""
        try:
            await self._room.acquire()
        except asyncio.CancelledError:
            work.close()
            raise
        task = self._pending.start(work)
        task.add_done_callback(lambda done: self._ended(done, about))

    async def settle(self) -> None:
        """Wait until what was added by now is done."""
        await self._pending.settle()

    def _ended(self, task: "asyncio.Task[None]", about: str) -> None:
        self._room.release()
        _tell(task, about)


class Aftermath:
    """The work after an answer: at once what must not be lost, later what nobody waits for."""

    def __init__(
        self,
        recorder: RunRecorder,
        memo: AnswerMemo,
        listener: Listener,
        proofs: Proofs,
        calls: ToolCalls,
    ) -> None:
        self._recorder = recorder
        self._memo = memo
        self._listener = listener
        self._proofs = proofs
        self._calls = calls
        self._background = Background()
        self._unrecorded: set[tuple[str, str]] = set()

    @property
    def idle(self) -> bool:
        return self._background.idle

    def is_recording(self, request: Request) -> bool:
        """Whether the answer to the same request is still to be recorded."""
        return (request.user, request.text) in self._unrecorded

    async def recorded(self) -> None:
        """Wait until what was answered by now is recorded."""
        await self._background.settle()

    async def settle(self) -> None:
        """Wait until what was answered by now is recorded, and results are in the cache."""
        await self._background.settle()
        await self._calls.settle()

    async def repeat(self, run: Run, answer: Answer) -> None:
        """Record an answer that was given before."""
        await self._background.add(self._repeat(run, answer), "recording a repeated answer")

    async def _repeat(self, run: Run, answer: Answer) -> None:
        await self._recorder.repeat(run, answer)
        await self._listen(run)

    async def follow(self, run: Run, answer: Answer, *, memo: bool) -> None:
        """Record an answer and learn from it; `memo`: it may be given again word for word."""
        well = answer.status is not AnswerStatus.FAILED
        if well and not (answer.cost.model_calls or answer.files or run.ledger.wrote):
            # Nothing was paid for and nothing changed: the person does not wait for the record.
            self._unrecorded.add((run.request.user, run.request.text))
            recording = self._record_and_learn(run, answer, memo=memo)
            await self._background.add(recording, "recording an answer")
        else:
            await self._record(run, answer, memo=memo)
            await self._background.add(self._listen(run), "learning from an answer")

    async def _record(self, run: Run, answer: Answer, *, memo: bool) -> None:
        try:
            await self._recorder.finish(run, answer)
            if run.ledger.proofs:
                self._proofs.wake()
            if memo:
                await self._memo.remember(run, answer)
        finally:
            self._unrecorded.discard((run.request.user, run.request.text))

    async def _record_and_learn(self, run: Run, answer: Answer, *, memo: bool) -> None:
        await self._record(run, answer, memo=memo)
        await self._listen(run)

    async def _listen(self, run: Run) -> None:
        """Let learning look at what the run appended; the run itself changes nothing else."""
        await self._listener.heard(run.request.user, run.id)


def _tell(task: "asyncio.Task[None]", about: str) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        warn(f"{about} failed", error=str(error))
