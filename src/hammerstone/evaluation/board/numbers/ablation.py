"""What each mechanism is worth: the same cases with it and without it, in one table."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.evaluations import (
    Better,
    Chapter,
    MeasurementRecord,
    MeasurementState,
)
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.evaluation import BoardOptions, EvaluationPolicies, data_folder
from hammerstone.evaluation.board.fresh import apart_from_database
from hammerstone.evaluation.board.measurement import Needs
from hammerstone.evaluation.board.numbers.statistics import holm, paired_difference
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.board.runner import BoardProgress
from hammerstone.storage import Database

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class AblationPair:
    """One case's number with the mechanism and without it."""

    case: str
    on: float
    off: float


@dataclass(frozen=True, slots=True)
class Ablation:
    """A mechanism that can be switched off. `off` says in words what happens without it."""

    mechanism: str
    off: str
    chapter: Chapter
    metric: str
    pairs: Callable[[MeasurementContext], Awaitable[Sequence[AblationPair]]]
    unit: str = "share"
    better: Better = Better.HIGHER
    needs: Needs = field(default_factory=Needs)


@dataclass(frozen=True, slots=True)
class AblationRow:
    """What a mechanism is worth; without numbers, `why` says why it was not measured."""

    ablation: Ablation
    cases: int = 0
    on: float | None = None
    without: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    seconds: float = 0.0
    why: str = ""

    @property
    def verdict(self) -> str:
        if self.difference is None or self.p is None:
            return "not measured"
        if self.p >= ALPHA:
            return "no difference shown"
        helps = (self.difference > 0) == (self.ablation.better is Better.HIGHER)
        return "it helps" if helps else "it harms"

    def to_json(self) -> JsonObject:
        return {
            "mechanism": self.ablation.mechanism,
            "without_it": self.ablation.off,
            "chapter": str(self.ablation.chapter),
            "metric": self.ablation.metric,
            "unit": self.ablation.unit,
            "cases": self.cases,
            "on": self.on,
            "off": self.without,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "verdict": self.verdict,
            "seconds": round(self.seconds, 1),
            "why": self.why,
        }


async def run_ablation(
    db: Database, settings: Settings, options: BoardOptions, progress: BoardProgress
) -> list[AblationRow]:
    """Every mechanism of the table, on as many cases as the set allows; what cannot says why."""
    from hammerstone.evaluation.chapters.mechanisms import ablations

    chosen = [one for one in ablations() if not options.chapters or one.chapter in options.chapters]
    policies = EvaluationPolicies(db, options.policies)
    await policies.load()
    resources = BoardResources(settings, policies, data_folder(options.data))
    context = MeasurementContext(resources, options.chosen, say=progress.says)
    rows: list[AblationRow] = []
    try:
        for number, ablation in enumerate(chosen, start=1):
            progress.begins(f"Without {ablation.mechanism}", number, len(chosen))
            with apart_from_database():
                row = await _measure(ablation, context)
            progress.ended(_as_record(row))
            rows.append(row)
    finally:
        await resources.close()
    return _corrected(rows)


async def _measure(ablation: Ablation, context: MeasurementContext) -> AblationRow:
    if reason := context.resources.unmet(ablation.needs):
        return AblationRow(ablation, why=reason)
    began = time.perf_counter()
    try:
        pairs = await ablation.pairs(context)
    except HammerstoneError as error:
        return AblationRow(ablation, why=error.message)
    if not pairs:
        return AblationRow(ablation, why="no case was measured")
    on, off = [pair.on for pair in pairs], [pair.off for pair in pairs]
    found = paired_difference(off, on)
    return AblationRow(
        ablation,
        len(pairs),
        sum(on) / len(on),
        sum(off) / len(off),
        found.mean,
        found.low,
        found.high,
        found.p,
        time.perf_counter() - began,
    )


def _corrected(rows: Sequence[AblationRow]) -> list[AblationRow]:
    """The rows with p corrected for how many mechanisms were tried."""
    tested = [row for row in rows if row.p is not None]
    corrected = iter(holm([row.p for row in tested if row.p is not None]))
    return [row if row.p is None else replace(row, p=next(corrected)) for row in rows]


def _as_record(row: AblationRow) -> MeasurementRecord:
    state = MeasurementState.SKIPPED if row.why else MeasurementState.DONE
    name = row.ablation.mechanism
    return MeasurementRecord(name, name, row.ablation.chapter, state, row.why)
