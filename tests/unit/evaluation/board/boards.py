"""Small measurements for tests, and an evaluation of them in a database of its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from hammerstone.core.evaluations import (
    CaseMark,
    CaseOutcome,
    Chapter,
    EvaluationRun,
    EvaluationSet,
    MeasurementRecord,
)
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.evaluation import BoardOptions, evaluate_board
from hammerstone.evaluation.board.measurement import Finding, Measurement
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.storage import Database

INSTANT = BoardOptions(EvaluationSet.INSTANT)


def outcome(name: str, passed: bool = True, **more: object) -> CaseOutcome:
    mark = CaseMark.PASSED if passed else CaseMark.FAILED
    return CaseOutcome(name, mark, float(passed), **more)  # type: ignore[arg-type]


def counting(
    name: str,
    done: list[str],
    passes: Callable[[str], bool] = lambda _: True,
    cases: int = 5,
    **more: object,
) -> Measurement:
    """A measurement that writes down which cases it really did."""

    async def run(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
        async def one(case: str) -> CaseOutcome:
            done.append(case)
            return outcome(case, passes(case))

        names = [f"c{number}" for number in range(cases)]
        found: list[CaseOutcome] = []
        async for each in context.each(names, lambda case: case, one):
            found.append(each)
            yield each
        yield passed_share("right", found)

    return Measurement(name, name.capitalize(), Chapter.CORRECTNESS, run, **more)  # type: ignore[arg-type]


@asynccontextmanager
async def board_database(folder: Path) -> AsyncIterator[tuple[Database, Settings]]:
    settings = Settings(data_dir=folder, embedder="off")
    db = await Database.open(settings)
    try:
        yield db, settings
    finally:
        await db.close()


async def measure(
    db: Database, settings: Settings, *known: Measurement, options: BoardOptions = INSTANT
) -> tuple[EvaluationRun, dict[str, MeasurementRecord]]:
    run = await evaluate_board(db, settings, options, known=list(known))
    return run, {one.measurement: one for one in await db.evaluations.records(run.id)}
