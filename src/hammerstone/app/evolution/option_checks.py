"""What a person asked of a round, checked before anything is run or written down."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.learn.evolution.tracks.purse import TrackBudget
from hammerstone.learn.evolution.tracks.suite_bench import SuiteBench
from hammerstone.learn.harness.program import read_program

if TYPE_CHECKING:
    from hammerstone.app.evolution.evolver import EvolveOptions


def check_round(suite: str, bench: SuiteBench, options: "EvolveOptions") -> None:
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
