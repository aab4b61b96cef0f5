"""The bench: who runs a suite's cases. It is handed in from above, where suites are known."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.judges.trace_judging import StepAgain
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.track import CaseScore, TrackCase, Trial
from hammerstone.storage import SpanRow, TraceRow


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A case that was run: its score, the facts of the run behind it, and its trace.

    `again` is what came of making its calls again, where it failed.
    """

    score: CaseScore
    facts: RunFacts
    trace: TraceRow | None = None
    spans: tuple[SpanRow, ...] = ()
    again: tuple[StepAgain, ...] = ()


OnRun = Callable[[CaseRun], None]


def ignored(_run: CaseRun) -> None:
    """For whoever waits for all runs."""


class BenchSuite(Protocol):
    """One suite, open. Expected values never leave it but as a case's own `expect`."""

    @property
    def name(self) -> str: ...

    @property
    def cases(self) -> tuple[TrackCase, ...]: ...

    async def run(
        self, cases: Sequence[TrackCase], trial: Trial, purse: TrackPurse, seen: OnRun = ignored
    ) -> list[CaseRun]:
        """The cases in order with a change that is not in force, in a copy of the product.

        `seen` hears of each as soon as it was run. Raises `BudgetExceeded` before the case that
        would be too much, and in the middle of one when the time is up; and `ModelError`.
        """
        ...


class SuiteBench(Protocol):
    def open(self, suite: str) -> AbstractAsyncContextManager[BenchSuite]:
        """Opens a suite by its name. Raises `NotFound` and `BadRequest`."""
        ...

    def names(self) -> list[str]:
        """The suites of this machine."""
        ...
