"""Whose job is next: persons take turns, within limits, and few rows are read to find out."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    exists,
    func,
    select,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.jobs import ClaimRule, JobState, QueueCounts
from hammerstone.storage.schema import approvals, jobs
from hammerstone.storage.stores.runs.runs import UNDECIDED

_CANDIDATES = 8  # of which another process may hold some at this very moment
_WAITING = str(JobState.WAITING)


async def _held(
    connection: AsyncConnection, kind: str, now: ColumnElement[datetime]
) -> Sequence[Any]:
    """How many jobs of a kind are held now, by person and model."""
    statement = (
        select(jobs.c.person, jobs.c.model, func.count().label("many"))
        .where(jobs.c.kind == kind, jobs.c.state == _WAITING, jobs.c.until > now)
        .where(text("holder <> ''"))  # as the index says it
        .group_by(jobs.c.person, jobs.c.model)
    )
    return (await connection.execute(statement)).all()


async def next_keys(
    connection: AsyncConnection, kind: str, now: ColumnElement[datetime], rule: ClaimRule
) -> list[str]:
    """Keys of jobs that may be claimed now, in the order of their turn; a few of them.

    First comes the person who holds the fewest jobs of the kind, then the oldest job.
    """
    held = await _held(connection, kind, now)
    if rule.in_all and sum(row.many for row in held) >= rule.in_all:
        return []
    persons, models = _sums(held, 0), _sums(held, 1)
    full = [name for name, many in persons.items() if 0 < rule.per_person <= many]
    full_models = [name for name, many in models.items() if name and 0 < rule.per_model <= many]
    found = (
        await connection.execute(
            _turns(kind, now, rule, full, full_models, [*persons]).limit(_CANDIDATES + len(persons))
        )
    ).all()
    found = sorted(found, key=lambda row: (persons.get(row.person, 0), row.created_at, row.key))
    return [row.key for row in found[:_CANDIDATES]]


def _sums(held: Sequence[Any], column: int) -> dict[str, int]:
    sums: dict[str, int] = {}
    for row in held:
        sums[row[column]] = sums.get(row[column], 0) + int(row.many)
    return sums


def _turns(
    kind: str,
    now: ColumnElement[datetime],
    rule: ClaimRule,
    full: Sequence[str],
    full_models: Sequence[str],
    holding: Sequence[str],
) -> Select[Any]:
    """Of each person whose jobs wait the oldest that is free; of those who hold none first.

    Persons are found by stepping through the index from one to the next, so a person with ten
    thousand jobs costs as much as one with a single job.
    """
    waiting = [jobs.c.kind == kind, jobs.c.state == _WAITING]
    first = select(func.min(jobs.c.person).label("person")).where(*waiting)
    people = first.cte("people", recursive=True)
    after = jobs.alias("after")
    later = (
        select(func.min(after.c.person))
        .where(after.c.kind == kind, after.c.state == _WAITING, after.c.person > people.c.person)
        .scalar_subquery()
    )
    people = people.union_all(select(later).where(people.c.person.is_not(None)))
    free: list[ColumnElement[bool]] = [*waiting, jobs.c.person == people.c.person]
    free += [jobs.c.until <= now, jobs.c.form <= rule.form]
    if not rule.undecided:
        free.append(~exists().where(approvals.c.run_id == jobs.c.key, *UNDECIDED))
    if full_models:
        free.append(jobs.c.model.not_in(full_models))
    key, created_at = (
        select(column)
        .where(*free)
        .order_by(jobs.c.created_at, jobs.c.key)
        .limit(1)
        .correlate(people)
        .scalar_subquery()
        for column in (jobs.c.key, jobs.c.created_at)
    )
    wanted = [people.c.person.is_not(None)]
    if full:
        wanted.append(people.c.person.not_in(full))
    oldest = (
        select(people.c.person, key.label("key"), created_at.label("created_at"))
        .where(*wanted)
        .cte("oldest")
        .prefix_with("MATERIALIZED")  # else SQLite looks each of them up again for the order
    )
    holds = [oldest.c.person.in_(holding)] if holding else []
    return (
        select(oldest)
        .where(oldest.c.key.is_not(None))
        .order_by(*holds, oldest.c.created_at, oldest.c.key)
    )


async def counted(
    connection: AsyncConnection, kind: str, now: ColumnElement[datetime], person: str
) -> QueueCounts:
    """How many jobs of a kind wait and are held."""
    waiting = [jobs.c.kind == kind, jobs.c.state == _WAITING]
    held = await _held(connection, kind, now)
    busy, of_person = sum(row.many for row in held), _sums(held, 0).get(person, 0)
    everybody = select(func.count()).where(*waiting)
    everything = (await connection.execute(everybody)).scalar_one()
    own = 0
    if person:
        own = (await connection.execute(everybody.where(jobs.c.person == person))).scalar_one()
    return QueueCounts(everything - busy, busy, max(0, own - of_person), of_person)
