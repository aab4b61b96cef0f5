"""What a measurement works with: files, sandbox, models, a fresh product, recorded outcomes."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Role
from hammerstone.core.evaluations import CaseMark, CaseOutcome, EvaluationSet
from hammerstone.core.seams import Embedder, Model, Sandbox
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.library.policies import Policies

Item = TypeVar("Item")
SEED = 22


@dataclass(slots=True)
class MeasurementContext:
    """One measurement's view of the evaluation.

    `known` are the cases that the same versions have answered before: `each` does not ask them
    again. `say` shows one line of progress.
    """

    resources: BoardResources
    chosen: EvaluationSet
    known: Mapping[str, CaseOutcome] = field(default_factory=dict[str, CaseOutcome])
    say: Callable[[str], None] = lambda _: None
    repeat: int = 1
    until: float | None = None  # `time.monotonic()` at which the measurement should end
    last: float | None = None  # and at which a case that still runs is given up
    tokens: int = 0  # spent beside the cases
    cut_short: bool = False
    amounts: EvaluationSet | None = None  # those of a smaller set, where the time is short
    planned: int = 0  # cases that there are, as far as `each` was told
    done: int = 0
    carried_s: float = 0.0  # seconds that the known cases took when they were done

    def time_is_up(self) -> bool:
        """Whether the measurement should come to its end; it then counts as partly done."""
        if self.until is not None and time.monotonic() >= self.until:
            self.cut_short = True
        return self.cut_short

    @property
    def settings(self) -> Settings:
        return self.resources.settings

    @property
    def policies(self) -> Policies:
        """The policies in force, with what this evaluation changes in them."""
        return self.resources.policies

    def file(self, name: str) -> Path:
        """The path of a data file that `needs` names."""
        return self.resources.file(name)

    async def sandbox(self) -> Sandbox:
        return await self.resources.sandbox()

    async def embedder(self) -> Embedder:
        """The configured embedder; vectors of texts seen before come from a file."""
        return await self.resources.embedder()

    def model(self, role: Role = Role.CODER) -> Model:
        return self.resources.model(role)

    def product(self, **changes: object) -> AbstractAsyncContextManager[Hammerstone]:
        """A fresh product in a folder of its own; `changes` are settings."""
        return self.resources.product(**changes)

    def own_product(self) -> AbstractAsyncContextManager[Hammerstone]:
        """The person's own product with its library: for running what is in it, never to ask."""
        return Hammerstone.open(self.resources.own)

    def some(
        self,
        items: Sequence[Item],
        *,
        instant: int | None = None,
        quick: int | None = None,
        full: int | None = None,
    ) -> list[Item]:
        """As many of the items as the set allows (None: all), always the same, from all over."""
        most = {
            EvaluationSet.INSTANT: instant,
            EvaluationSet.QUICK: quick,
            EvaluationSet.FULL: full,
        }[self.amounts or self.chosen]
        if most is None or most >= len(items):
            return list(items)
        places = sorted(random.Random(SEED).sample(range(len(items)), most))
        return [items[place] for place in places]

    async def each(
        self,
        items: Iterable[Item],
        name_of: Callable[[Item], str],
        work: Callable[[Item], Awaitable[CaseOutcome]],
        at_once: int = 1,
        *,
        chained: bool = False,
    ) -> AsyncIterator[CaseOutcome]:
        """The outcome of each item in turn, until the time is up; known cases are not done again.

        With `repeat`, each is done several times, and one that ends differently is flaky.
        `at_once` items are worked on side by side. `chained` items depend on what those before
        them left in the product: there nothing is known from a run that was broken off. Others
        are mixed in the full set, so that those which are done in time are a sample of all.
        """
        running: list[asyncio.Task[CaseOutcome]] = []
        whole = f" of {len(items)}" if isinstance(items, Sized) else ""
        self.planned += len(items) if isinstance(items, Sized) else 0
        try:
            for number, item in enumerate(self._mixed(items, chained), start=1):
                known = None if chained else self.known.get(name_of(item))
                if known is None and self.time_is_up():
                    break
                if known is None:
                    self.say(f"{number}{whole}")
                self.carried_s += known.seconds if known else 0.0
                running.append(asyncio.create_task(self._outcome(item, known, work)))
                if len(running) >= at_once and await self._in_time(running[0]):
                    yield await running.pop(0)
            while running and await self._in_time(running[0]):
                yield await running.pop(0)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _in_time(self, case: asyncio.Task[CaseOutcome]) -> bool:
        """Whether a case came to an end before it is given up; what the others found stays."""
        left = None if self.last is None else max(0.0, self.last - time.monotonic())
        ended, _ = await asyncio.wait([case], timeout=left)
        self.cut_short = self.cut_short or not ended
        self.done += len(ended)
        return bool(ended)

    def _mixed(self, items: Iterable[Item], chained: bool) -> Iterable[Item]:
        if chained or self.chosen is not EvaluationSet.FULL or not isinstance(items, Sequence):
            return items
        return random.Random(SEED).sample(items, len(items))

    async def _outcome(
        self,
        item: Item,
        known: CaseOutcome | None,
        work: Callable[[Item], Awaitable[CaseOutcome]],
    ) -> CaseOutcome:
        if known is not None:
            return known
        return repeated([await _timed(item, work) for _ in range(self.repeat)])


async def _timed(item: Item, work: Callable[[Item], Awaitable[CaseOutcome]]) -> CaseOutcome:
    began = time.perf_counter()
    outcome = await work(item)
    return outcome if outcome.seconds else replace(outcome, seconds=time.perf_counter() - began)


def repeated(outcomes: Sequence[CaseOutcome]) -> CaseOutcome:
    """One outcome for all repetitions of a case: flaky where some passed and some failed."""
    marks = [one.mark for one in outcomes if one.counts]
    first = outcomes[0]
    if len(outcomes) == 1 or not marks:
        return first
    score = sum(one.score for one in outcomes if one.counts) / len(marks)
    seconds = sum(one.seconds for one in outcomes) / len(outcomes)
    tokens = sum(one.tokens for one in outcomes)
    if len(set(marks)) == 1:
        counted = next(one for one in outcomes if one.counts)
        return replace(counted, score=score, seconds=seconds, tokens=tokens)
    failed = next(one for one in outcomes if one.counts and not one.passed)
    passed = sum(mark is CaseMark.PASSED for mark in marks)
    reason = f"passed {passed} of {len(marks)} times; else: {failed.reason}"
    return replace(
        failed,
        mark=CaseMark.FLAKY,
        score=score,
        seconds=seconds,
        tokens=tokens,
        reason=reason,
    )
