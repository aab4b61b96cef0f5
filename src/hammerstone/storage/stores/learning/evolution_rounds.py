"""Rounds of evolution, what was tried in each, and how suites went over time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, insert, select, update

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage.access import Store, columns_of, value_of
from hammerstone.storage.schema import evolution_attempts, evolution_rounds, suite_scores


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One look at a suite. `state` is running, done, stopped or broken."""

    id: str
    suite: str
    who: str
    state: str
    started_at: datetime
    finished_at: datetime | None = None
    average: float | None = None
    signals: JsonObject = field(default_factory=dict[str, Json])
    recommendation: JsonObject = field(default_factory=dict[str, Json])
    account: tuple[str, ...] = ()
    cost: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """What one track did in a round."""

    round_id: str
    track: str
    outcome: str
    account: tuple[str, ...]
    at: datetime
    proposal_id: str = ""
    before: JsonObject | None = None
    after: JsonObject | None = None
    cost: JsonObject = field(default_factory=dict[str, Json])
    change: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class SuiteScoreRow:
    """How a suite went at one moment. `answered` is the share of cases with an answer at all."""

    suite: str
    why: str
    average: float
    answered: float
    cases: Mapping[str, float]
    at: datetime


class EvolutionRounds(Store):
    async def start(self, row: RoundRow) -> None:
        await self._write(insert(evolution_rounds), _columns(row))

    async def save(self, row: RoundRow) -> None:
        """Keep a round as it is now."""
        values = _columns(row)
        statement = update(evolution_rounds).where(evolution_rounds.c.id == values.pop("id"))
        await self._write(statement.values(**values))

    async def break_off(self, row: RoundRow) -> bool:
        """Keep a round as one that ended in the middle; False when it has ended meanwhile."""
        values = _columns(row)
        statement = update(evolution_rounds).where(
            evolution_rounds.c.id == values.pop("id"), evolution_rounds.c.finished_at.is_(None)
        )
        return await self._write(statement.values(**values)) > 0

    async def get(self, id: str) -> RoundRow:
        """A round by its id, or the beginning of it. Raises `NotFound`."""
        begins = evolution_rounds.c.id.startswith(id, autoescape=True)
        statement = select(evolution_rounds).where(begins).order_by(evolution_rounds.c.id).limit(1)
        row = await self._mapping(statement)
        if row is None or not id:
            raise NotFound(
                f"there is no round {id!r} of evolution", hint="hammerstone evolve history"
            )
        return _round(row)

    async def list(
        self, suite: str | None = None, limit: int = 50, *, running: bool = False
    ) -> list[RoundRow]:
        """Rounds, newest first."""
        statement = select(evolution_rounds).order_by(
            evolution_rounds.c.started_at.desc(), evolution_rounds.c.id
        )
        if suite is not None:
            statement = statement.where(evolution_rounds.c.suite == suite)
        if running:
            statement = statement.where(evolution_rounds.c.finished_at.is_(None))
        rows = await self._mappings(statement.limit(limit))
        return [_round(row) for row in rows]

    async def add_attempt(self, row: AttemptRow) -> None:
        await self._write(insert(evolution_attempts), _columns(row))

    async def attempts(self, round_id: str | None = None, limit: int = 200) -> "list[AttemptRow]":
        """What was tried in a round, in order; without a round, the newest first."""
        statement = select(evolution_attempts)
        if round_id is not None:
            statement = statement.where(evolution_attempts.c.round_id == round_id)
            statement = statement.order_by(evolution_attempts.c.id)
        else:
            statement = statement.order_by(evolution_attempts.c.id.desc())
        rows = await self._mappings(statement.limit(limit))
        return [_attempt(row) for row in rows]

    async def add_score(self, row: SuiteScoreRow) -> None:
        values = _columns(row) | {"cases": dict(row.cases)}
        await self._write(insert(suite_scores), values)

    async def scores(self, suite: str, limit: int = 400) -> "list[SuiteScoreRow]":
        """The newest scores of a suite, oldest first."""
        statement = (
            select(suite_scores)
            .where(suite_scores.c.suite == suite)
            .order_by(suite_scores.c.at.desc(), suite_scores.c.id.desc())
            .limit(limit)
        )
        rows = await self._mappings(statement)
        return [value_of(SuiteScoreRow, row) for row in reversed(rows)]

    async def scored_suites(self) -> "list[str]":
        """The suites that have ever been scored."""
        statement = select(suite_scores.c.suite).distinct().order_by(suite_scores.c.suite)
        return list(await self._values(statement))


def _columns(row: RoundRow | AttemptRow | SuiteScoreRow) -> dict[str, Any]:
    values = columns_of(row)
    if "account" in values:
        values["account"] = list(values["account"])
    return values


def _round(row: RowMapping) -> RoundRow:
    return value_of(RoundRow, row, account=tuple(row["account"]))


def _attempt(row: RowMapping) -> AttemptRow:
    return value_of(AttemptRow, row, account=tuple(row["account"]))
