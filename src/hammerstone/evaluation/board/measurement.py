"""A measurement: a name, a chapter, what it needs, and a function that yields what it found."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hammerstone.core.evaluations import CaseOutcome, Chapter, EvaluationSet, MetricValue

if TYPE_CHECKING:
    from hammerstone.evaluation.board.context import MeasurementContext

Finding = CaseOutcome | MetricValue
Run = Callable[["MeasurementContext"], AsyncGenerator[Finding, None]]

INSTANT = frozenset(EvaluationSet)
QUICK = frozenset({EvaluationSet.QUICK, EvaluationSet.FULL})
FULL = frozenset({EvaluationSet.FULL})


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be there. `files` are relative to the data folder, or to `evals/data` of the
    repository where they begin with `evals/data/`; they are also what the data's hash is of."""

    files: tuple[str, ...] = ()
    model: bool = False
    embedder: bool = False
    sandbox: bool = False
    network: bool = False
    checkout: bool = False  # the repository with `evals/` and `tests/`, as the working directory


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement of the scoreboard.

    `run` yields a `CaseOutcome` for each case and a `MetricValue` for each number, in any order.
    A measurement that takes times is `timed`: it is never taken from an earlier run, and two
    evaluations do not take times at once. Raise `revision` when cases or grading change, so that
    what was recorded before counts no more. `weight` is its part of a set's time.
    `full_s` are about the seconds of a full amount that cannot be cut into cases: where the full
    set has less time for it, it does the quick amounts and says so; with less than `least_s` it
    waits. `chained` cases build on each other: what was cut short begins anew, with more time or
    not at all.
    `subject` names what else was measured, such as the version of a tool.
    """

    name: str
    title: str
    chapter: Chapter
    run: Run
    sets: frozenset[EvaluationSet] = INSTANT
    needs: Needs = field(default_factory=Needs)
    timed: bool = False
    revision: int = 1
    weight: float = 1.0
    subject: str = ""
    full_s: float = 0.0
    least_s: float = 0.0
    chained: bool = False


def checkout() -> Path | None:
    """The repository, where it is the working directory."""
    here = Path.cwd()
    return here if (here / "evals").is_dir() and (here / "src" / "hammerstone").is_dir() else None
