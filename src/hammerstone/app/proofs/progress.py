"""How far the proofs are that are being done here, for those who look at the answers."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace

from hammerstone.app.proofs.proof_reports import AskerTask
from hammerstone.core.answers import EventKind
from hammerstone.core.clock import Clock
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.policies import Policies
from hammerstone.synthesis.examine.verdict import ExaminePolicy
from hammerstone.synthesis.witnesses import Notify


@dataclass(frozen=True, slots=True)
class ProofProgress:
    """Of one run's proof: `done` programs and test authors are heard, of `most` at the most."""

    run_id: str
    session_id: str
    user: str
    done: int
    most: int
    elapsed_s: float
    doing: str

    def to_json(self) -> JsonObject:
        return asdict(self)


OnProgress = Callable[[ProofProgress], Awaitable[None]]


class ProgressBoard:
    """The proofs of this process while they are being done; nothing of it is stored."""

    def __init__(self, clock: Clock, policies: Policies) -> None:
        self._clock = clock
        self._policies = policies
        self._now: dict[str, ProofProgress] = {}
        self.listeners: list[OnProgress] = []

    def find(self, run_id: str) -> ProofProgress | None:
        """The progress of a run's proof; None while nobody is at it."""
        found = self._now.get(run_id)
        return found and replace(found, elapsed_s=self._clock.elapsed_s() - found.elapsed_s)

    @asynccontextmanager
    async def showing(self, askers: Sequence[AskerTask], notify: Notify) -> AsyncIterator[Notify]:
        """What a proof tells is passed on, and counted for all who asked."""
        began_s = self._clock.elapsed_s()
        policy = self._policies.get(ExaminePolicy)
        most = policy.max_candidates + policy.max_suites + 1
        heard = 0

        async def told(kind: EventKind, text: str, data: dict[str, Json]) -> None:
            nonlocal heard
            heard = min(most, _heard(heard, kind, data))
            await self._show(askers, ProofProgress("", "", "", heard, most, began_s, text))
            await notify(kind, text, data)

        try:
            yield told
        finally:
            for asked in askers:
                self._now.pop(asked.task.run_id, None)

    async def _show(self, askers: Sequence[AskerTask], progress: ProofProgress) -> None:
        for task in (asked.task for asked in askers):
            self._now[task.run_id] = replace(
                progress, run_id=task.run_id, session_id=task.session_id, user=task.user
            )
            now = self.find(task.run_id)
            for listener in self.listeners if now else ():
                assert now is not None
                await listener(now)


def _heard(before: int, kind: EventKind, data: dict[str, Json]) -> int:
    """How many were heard by now: what a round counts is exact, what is written comes before."""
    if kind is EventKind.VERIFYING and "suites" in data:
        return max(before, _count(data, "candidates") + _count(data, "suites"))
    if kind is EventKind.TEST_WRITTEN:
        return before + _count(data, "authors")
    return before + _count(data, "count") if kind is EventKind.CANDIDATE else before


def _count(data: dict[str, Json], name: str) -> int:
    value = data.get(name)
    return value if isinstance(value, int) else 0
