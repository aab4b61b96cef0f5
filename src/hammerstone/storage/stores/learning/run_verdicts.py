"""What judges said about runs, the runs that a person looks at, and how often judges were right."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, and_, func, insert, select, update

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Store, columns_of, value_of
from hammerstone.storage.schema import judge_checks, run_verdicts, runs, sample_reviews

_OF_REQUESTS = and_(run_verdicts.c.run_id != "", run_verdicts.c.round_id == "")


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A judge's word about a run. `finding` says why it failed, if it did."""

    round_id: str
    suite: str
    case: str
    run_id: str
    session_id: str
    trace_id: str
    score: float
    source: str
    why: str
    failed: bool
    at: datetime
    finding: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class SampleReview:
    """A run drawn at random, what the judge said, and what a person says; None: nobody looked."""

    id: int
    round_id: str
    suite: str
    case: str
    run_id: str
    session_id: str
    judged: float
    failed: bool
    at: datetime
    person: str = ""
    right: bool | None = None
    reviewed_at: datetime | None = None


class RunVerdicts(Store):
    async def add(self, rows: Sequence[VerdictRow]) -> None:
        if not rows:
            return
        values = [columns_of(row) for row in rows]
        await self._write(insert(run_verdicts), values)

    async def of_round(self, round_id: str, limit: int = 10_000) -> list[VerdictRow]:
        """A round's verdicts in the order in which they were made."""
        return await self._list(run_verdicts.c.round_id == round_id, limit)

    async def of_requests(self, limit: int = 100_000) -> list[VerdictRow]:
        """Every verdict about what a person asked, in the order in which they were made; those
        about the cases of a suite are not among them."""
        return await self._list(_OF_REQUESTS, limit)

    async def _list(self, where: Any, limit: int, *, newest: bool = False) -> list[VerdictRow]:
        order = run_verdicts.c.id.desc() if newest else run_verdicts.c.id
        statement = select(run_verdicts).where(where).order_by(order).limit(limit)
        rows = await self._mappings(statement)
        return [value_of(VerdictRow, row) for row in rows]

    async def newest_of_requests(self, limit: int, *, failed: bool = False) -> list[VerdictRow]:
        """The last verdicts about what people asked, the newest first; those that failed alone."""
        where = and_(_OF_REQUESTS, run_verdicts.c.failed) if failed else _OF_REQUESTS
        return await self._list(where, limit, newest=True)

    async def unjudged(self, since: datetime, until: datetime, limit: int) -> list[str]:
        """Requests that ended by then, were asked since, and that nobody has judged; the newest
        first."""
        known = select(run_verdicts.c.id).where(run_verdicts.c.run_id == runs.c.id)
        statement = (
            select(runs.c.id)
            .where(runs.c.started_at >= since, runs.c.finished_at <= until, ~known.exists())
            .order_by(runs.c.started_at.desc(), runs.c.id)
            .limit(limit)
        )
        return [*await self._values(statement)]

    async def good_runs(self, least: float) -> int:
        """How many requests of people were ever scored at least so well."""
        statement = select(func.count(run_verdicts.c.run_id.distinct())).where(
            run_verdicts.c.score >= least, _OF_REQUESTS
        )
        return int(await self._value(statement))

    async def draw(self, rows: Sequence[SampleReview]) -> None:
        """Put runs before a person; their ids are given here."""
        if not rows:
            return
        names = [name for name in SampleReview.__slots__ if name != "id"]
        values = [{name: getattr(row, name) for name in names} for row in rows]
        await self._write(insert(sample_reviews), values)

    async def samples(self, *, waiting: bool = False, limit: int = 100) -> list[SampleReview]:
        """Drawn runs, newest first; those that wait for a look alone."""
        statement = select(sample_reviews).order_by(sample_reviews.c.id.desc()).limit(limit)
        if waiting:
            statement = statement.where(sample_reviews.c.right.is_(None))
        rows = await self._mappings(statement)
        return [_sample(row) for row in rows]

    async def review(self, id: int, right: bool, person: str, at: datetime) -> SampleReview:
        """What a person says about a drawn run. Raises `NotFound`."""
        statement = update(sample_reviews).where(sample_reviews.c.id == id)
        statement = statement.values(right=int(right), person=person, reviewed_at=at)
        async with self._access.writing() as connection:
            done = await connection.execute(statement.returning(*sample_reviews.columns))
            row = done.mappings().first()
        if row is None:
            raise NotFound(f"there is no sample {id}", hint="hammerstone evolve sample")
        return _sample(row)


def _sample(row: RowMapping) -> SampleReview:
    right = None if row["right"] is None else bool(row["right"])
    return value_of(SampleReview, row, right=right)


@dataclass(frozen=True, slots=True)
class JudgeCheckRow:
    judge: str
    model: str
    reliability: JsonObject
    at: datetime


class JudgeChecks(Store):
    async def add(self, row: JudgeCheckRow) -> None:
        values = columns_of(row)
        await self._write(insert(judge_checks), values)

    async def latest(self, judge: str, model: str) -> JudgeCheckRow | None:
        """The last check of a judge with this model."""
        statement = (
            select(judge_checks)
            .where(judge_checks.c.judge == judge, judge_checks.c.model == model)
            .order_by(judge_checks.c.id.desc())
            .limit(1)
        )
        row = await self._mapping(statement)
        return value_of(JudgeCheckRow, row) if row else None
