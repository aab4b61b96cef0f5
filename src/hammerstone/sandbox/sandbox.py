"""The Sandbox contract over any backend: turns, deadlines, restarts, one retry."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program, ResourceUse
from hammerstone.core.errors import SandboxLost
from hammerstone.core.fair_turns import FairTurns
from hammerstone.sandbox.backend import Backend, GuestEnd
from hammerstone.sandbox.guest_session import (
    LOAD_WALL_S,
    Conversation,
    Deadlines,
    GuestSession,
    encode_task,
    explain_end,
)
from hammerstone.tracing import span


class GuestSandbox:
    """A `core.seams.Sandbox` that runs each program in guests of one backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        per_matrix = max(1, backend.slots - 1)  # a matrix never takes the last slot
        self._turns = FairTurns(backend.slots, per_matrix)

    @property
    def backend(self) -> str:
        return self._backend.name

    @property
    def known_gaps(self) -> Mapping[str, str]:
        return self._backend.known_gaps

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        given = call.source or {"args": list(call.args), "kwargs": dict(call.kwargs)}
        with span(f"sandbox call {program.function}", kind="sandbox", input=given) as step:
            run = _Row(self._backend, program, limits, files or {})
            async with self._turns.turn(run):
                outcome = (await run.outcomes([call], limits.wall_s, artifacts=True))[0]
            step.set("sandbox.backend", self.backend)
            step.set("sandbox.function", program.function)
            step.set("sandbox.failure", outcome.failure)
            step.output = outcome.error if outcome.failure is not None else outcome.value
        return outcome

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        if not calls:
            return [[] for _ in programs]
        client = object()

        async def row(program: Program) -> list[Outcome]:
            async with self._turns.turn(client):
                run = _Row(self._backend, program, limits, files or {})
                return await run.outcomes(calls, case_wall_s, artifacts=False)

        name = f"sandbox matrix {len(programs)} x {len(calls)}"
        about = {
            "sandbox.backend": self.backend,
            "sandbox.programs": len(programs),
            "sandbox.calls": len(calls),
        }
        with span(name, kind="sandbox", attributes=about):
            try:
                async with asyncio.TaskGroup() as group:
                    rows = [group.create_task(row(program)) for program in programs]
            except ExceptionGroup as failed:
                raise failed.exceptions[0] from None  # one refusal, not a group of the same
        return [task.result() for task in rows]

    async def close(self) -> None:
        await self._backend.close()


class _Row:
    """One program and its calls: as many guests, one after the other, as harm makes necessary."""

    def __init__(
        self, backend: Backend, program: Program, limits: Limits, files: Mapping[str, Path]
    ) -> None:
        self._backend = backend
        self._program = program
        self._limits = limits
        self._files = files
        self._retried = False
        self._false_starts_left = backend.slots + 1  # of servers that were dying together

    async def outcomes(
        self, calls: Sequence[Call], call_s: float, *, artifacts: bool
    ) -> list[Outcome]:
        results: list[Outcome] = []
        ends = time.perf_counter() + self._limits.wall_s
        while len(results) < len(calls):
            left = ends - time.perf_counter()
            rest = calls[len(results) :]
            if left <= 0:
                spent = Outcome(failure=Failure.TIMEOUT, error="no time was left for this call")
                results += [spent] * len(rest)
                break
            load_s = left if len(calls) == 1 else min(left, LOAD_WALL_S)
            deadlines = Deadlines(total_s=left, load_s=load_s, call_s=min(call_s, left))
            results += await self._one_guest(rest, deadlines, artifacts=artifacts)
        return [replace(outcome, backend=self._backend.name) for outcome in results]

    async def _one_guest(
        self, calls: Sequence[Call], deadlines: Deadlines, *, artifacts: bool
    ) -> list[Outcome]:
        """Outcomes of the first of `calls`, at least one unless the guest was lost for once."""
        said, end = Conversation(), GuestEnd(lost=True)
        try:
            guest = await self._backend.start(self._limits, self._files, self._program.code)
        except SandboxLost as error:
            end = GuestEnd(lost=True, detail=error.message)
        else:
            try:
                task = encode_task(self._program, calls, self._limits, guest, artifacts=artifacts)
                said = await GuestSession(guest, self._limits, len(calls)).hold(task, deadlines)
            finally:
                end = await _finish(guest.end())
        outcomes = _with_use(said.outcomes, end.use)
        if said.unusable is not None:
            return [replace(said.unusable, use=end.use)] * len(calls)
        if said.done and outcomes:
            # A kill for memory anywhere in the tree spoils what the rest of the tree answered.
            if end.out_of_memory and len(calls) == 1:
                return [replace(explain_end(Conversation(), end, self._limits), use=end.use)]
            return outcomes
        problem = replace(explain_end(said, end, self._limits), use=end.use)
        if problem.failure is Failure.LOST and self._may_retry(end):
            return outcomes
        if not said.loaded:
            return [problem] * len(calls)
        # Time may run out between the last answer and the goodbye: then there is no call left.
        return [*outcomes, problem][: len(calls)]

    def _may_retry(self, end: GuestEnd) -> bool:
        """Once after code has run; a few times more if it never began."""
        if end.untouched and self._false_starts_left:
            self._false_starts_left -= 1
            return True
        first, self._retried = not self._retried, True
        return first


async def _finish(ending: "asyncio.Future[GuestEnd] | object") -> GuestEnd:
    """Wait for the guest's end even if the waiting task is cancelled meanwhile."""
    task: asyncio.Task[GuestEnd] = asyncio.ensure_future(ending)  # type: ignore[arg-type]
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
    if cancelled:
        task.result()
        raise asyncio.CancelledError
    return task.result()


def _with_use(outcomes: list[Outcome], use: ResourceUse) -> list[Outcome]:
    """The run's measured use shared out among its calls by their time; the peak is everyone's."""
    total = sum(outcome.use.wall_s for outcome in outcomes) or 1.0
    return [
        replace(
            outcome,
            use=ResourceUse(
                wall_s=outcome.use.wall_s,
                cpu_s=use.cpu_s * outcome.use.wall_s / total,
                peak_memory_bytes=use.peak_memory_bytes,
            ),
        )
        for outcome in outcomes
    ]
