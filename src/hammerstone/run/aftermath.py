"""What comes after an answer: it is recorded and remembered, its proof is owed, search learns."""

from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.seams import Proofs
from hammerstone.run.act.execute import ToolCalls
from hammerstone.run.answer.lessons import Lessons
from hammerstone.run.answer.memo import AnswerMemo
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.background import Background
from hammerstone.run.context import Run
from hammerstone.run.request import Request


class Aftermath:
    """Does at once what must not be lost, and in the background what nobody waits for."""

    def __init__(
        self,
        recorder: RunRecorder,
        memo: AnswerMemo,
        lessons: Lessons,
        proofs: Proofs,
        calls: ToolCalls,
    ) -> None:
        self._recorder = recorder
        self._memo = memo
        self._lessons = lessons
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
        recording = self._recorder.repeat(run, answer)
        await self._background.add(recording, "recording a repeated answer")

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
            await self._background.add(self._lessons.learn(run), "learning from an answer")

    async def _record(self, run: Run, answer: Answer, *, memo: bool) -> None:
        try:
            await self._recorder.finish(run, answer)
            for task in run.ledger.proofs:
                await self._proofs.put(task)
            if memo:
                await self._memo.remember(run, answer)
        finally:
            self._unrecorded.discard((run.request.user, run.request.text))

    async def _record_and_learn(self, run: Run, answer: Answer, *, memo: bool) -> None:
        await self._record(run, answer, memo=memo)
        await self._lessons.learn(run)
