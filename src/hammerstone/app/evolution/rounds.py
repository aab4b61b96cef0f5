"""A round of evolution: what a person asks of it, checked before anything is run or written down;
what it says of itself (its plan, its pace, what was found); and which rounds are at work, told from
those whose process is gone by the leases of suites."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import BadRequest, ModelError, NotFound
from hammerstone.core.holder import work_of
from hammerstone.learn.evolution.judges.recommendation import Recommendation
from hammerstone.learn.evolution.judges.signals import FailureSignals
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import TrackName
from hammerstone.learn.evolution.tracks.trials import SuiteBench
from hammerstone.learn.harness.program import read_program
from hammerstone.run.durable.dead_leases import end_dead_lease
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.evolution_rounds import RoundRow

LOST = (
    "It was broken off: the process that worked on it is gone. What it had tried by then is "
    "listed; nothing was changed after that."
)

JUDGED = "To hear all the same why its cases fail: `hammerstone evolve run SUITE --judge-only`."


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


def pace_of(rounds: Sequence[RoundRow]) -> float | None:
    """Seconds a case took in the newest round that says so; None where none does."""
    for row in rounds:
        cases, seconds = row.cost.get("cases"), row.cost.get("seconds")
        if isinstance(cases, int) and cases and isinstance(seconds, int | float):
            return float(seconds) / cases
    return None


def plan_words(
    cases: int, pace: float | None, budget: TrackBudget, *, judge_only: bool = False
) -> str:
    """What will happen, how long the first part takes, and what it may cost."""
    told = f"First {cases} cases are run as it is"
    if pace is not None:
        told += f", about {duration(pace * cases)} at the pace of the last round"
    told += "; then they are judged"
    told += "" if judge_only else ", and the cheapest change that could help is tried"
    told += f", all of it within {_limits(budget)}." if _limits(budget) else "."
    if pace is not None and budget.seconds is not None and pace * cases > budget.seconds:
        told += " At that pace the time does not reach for all cases."
    return told


def pace_words(purse: TrackPurse) -> str:
    """How fast cases are here, and for how many more the time reaches."""
    cost, left = purse.cost, purse.seconds_left
    pace = cost.seconds / max(1, cost.cases)
    told = f"A case takes {duration(pace)} here"
    if left is None:
        return f"{told}."
    more = int(left / max(pace, 0.001))
    return f"{told}; the {duration(left)} that are left reach for about {more:,} more."


def cut_words(run: int, cases: int, budget: TrackBudget) -> str:
    """That a budget ended before all cases were run once."""
    if not run:
        return (
            f"The budget ended before one case was run ({_limits(budget)}). Nothing was changed. "
            "Give it more, or try again when the machine has less to do."
        )
    return (
        f"The budget ended after {run} of {cases} cases ({_limits(budget)}), and all this is about "
        "them alone: nothing was tried, and the score is not kept."
    )


def unasked_words(error: ModelError) -> str:
    """That the model could not be asked, and what helps."""
    told = f"The model could not be asked: {error.message}. Nothing is concluded."
    return f"{told} Try: {error.hint}" if error.hint else told


def finding_words(signals: FailureSignals, advice: Recommendation) -> list[str]:
    """How the suite went, and what is recommended."""
    ran = "1 case was" if signals.runs == 1 else f"{signals.runs} cases were"
    told = [f"{ran} run, the average score is {signals.average:.2f}, {signals.failures} failed."]
    if signals.outages:
        told.append(f"{signals.outages} failed because a model or a service was down.")
    if advice.tracks:
        names = ", then ".join(str(track) for track in advice.tracks)
        told.append(f"Recommended: {names} ({advice.confidence:.0%} sure). {advice.rationale}")
    else:
        told.append(f"Nothing is recommended: {advice.rationale}.")
    return told + [f"Not possible: {each}." for each in advice.blocked]


def duration(seconds: float) -> str:
    """A time in words: `40 s`, `3.5 min`, `25 min`."""
    if seconds < 120:
        return f"{_short(seconds)} s"
    return f"{_short(seconds / 60)} min"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0") if number < 10 else f"{number:.0f}"


def _limits(budget: TrackBudget) -> str:
    parts = [
        "" if budget.seconds is None else duration(budget.seconds),
        "" if budget.tokens is None else f"{budget.tokens:,} tokens",
        "" if budget.usd is None else f"{budget.usd:g} dollar{'' if budget.usd == 1 else 's'}",
    ]
    return ", ".join(filter(None, parts))
