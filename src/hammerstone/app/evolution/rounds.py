"""A round of evolution: what a person asks of it, checked before anything is run or written down,
and which rounds are at work, told from those whose process is gone by the leases of suites."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.learn.evolution.tracks.purse import TrackBudget
from hammerstone.learn.evolution.tracks.suite_bench import SuiteBench
from hammerstone.learn.evolution.tracks.track import TrackName
from hammerstone.learn.harness.program import read_program
from hammerstone.run.durable.holder import end_dead_lease, work_of
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.evolution_rounds import RoundRow


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


@dataclass(frozen=True, slots=True)
class OpenRounds:
    """Rounds that have not ended: those that somebody works on, and those that nobody does."""

    at_work: tuple[RoundRow, ...]
    lost: tuple[RoundRow, ...]


def suite_lease(suite: str) -> str:
    """The lease of the one round that works on a suite; its holder is named after the round."""
    return f"evolution {suite}"


async def open_rounds(db: Database) -> OpenRounds:
    """All rounds that have not ended; the leases of dead processes are ended."""
    at_work: list[RoundRow] = []
    lost: list[RoundRow] = []
    for row in await db.evolution.list(running=True):
        await end_dead_lease(db.leases, suite_lease(row.suite))
        held = work_of(await db.leases.holder(suite_lease(row.suite))) == row.id
        (at_work if held else lost).append(row)
    return OpenRounds(tuple(at_work), tuple(lost))
