"""What a person asks of a round; it is checked before anything is run or written down."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.learn.evolution.tracks.purse import TrackBudget
from hammerstone.learn.evolution.tracks.track import TrackName
from hammerstone.learn.evolution.tracks.trials import SuiteBench
from hammerstone.learn.harness.program import read_program


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """How a round is done, where a person wants it otherwise than the policies say.

    `documents` is a folder that may hold what is missing, `program` one with a `program.md`, by
    which the harness is then tried. With `judge_only` nothing is tried. `tracks` are the only ones
    that may run, and they are tried whatever the failures speak for.
    """

    who: str = "evolution"
    budget: TrackBudget | None = None
    documents: Path | None = None
    program: Path | None = None
    tracks: tuple[TrackName, ...] = ()
    review: bool | None = None
    judge_only: bool = False
    approved_by: str = ""
    check_judge: bool = False
    say: Callable[[str], None] = lambda _: None  # hears what a person wants to know meanwhile

    @property
    def asked(self) -> tuple[TrackName, ...]:
        """The tracks that a person asked for: by name, or by naming a program."""
        by_program = () if self.program is None else (TrackName.HARNESS,)
        return self.tracks or by_program


def check_round(suite: str, bench: SuiteBench, options: EvolveOptions) -> None:
    """Raises `NotFound` and `BadRequest`, with what to do about it."""
    if suite not in bench.names():
        raise NotFound(f"there is no suite {suite!r}", hint="hammerstone suites list")
    if options.budget is not None:
        _check_budget(options.budget)
    if options.documents is not None and not _is_there(options.documents):
        raise BadRequest(
            f"there is no folder {options.documents}", hint="name one that holds documents"
        )
    if options.program is not None:
        read_program(options.program)


def _check_budget(budget: TrackBudget) -> None:
    limits = {"tokens": budget.tokens, "seconds": budget.seconds, "usd": budget.usd}
    for name, value in limits.items():
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise BadRequest(f"{name} is a number from 0 on, not {value:g}")


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no file can have
        return False
