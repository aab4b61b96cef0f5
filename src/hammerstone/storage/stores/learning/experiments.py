"""Experiments: one row each, the knobs they hold while they run, and what each look found."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, delete, insert, or_, select, update

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.experiments import (
    Experiment,
    ExperimentOutcome,
    ExperimentPlan,
    ExperimentState,
    TrialVariant,
)
from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access, Store, bump
from hammerstone.storage.schema import experiment_knobs, experiment_looks, experiments
from hammerstone.storage.stores.library.policies import REVISION


@dataclass(frozen=True, slots=True)
class ExperimentEnd:
    """How an experiment ends, and by whom."""

    outcome: ExperimentOutcome
    reason: str
    who: str
    winner: str = ""
    proposal: str = ""


@dataclass(frozen=True, slots=True)
class ExperimentLook:
    """What was known of an experiment on one day since its start."""

    day: int
    at: datetime
    numbers: JsonObject


class StoredExperiments(Store):
    """Starting and ending one moves the policies' revision: that is when others look again."""

    def __init__(self, access: Access) -> None:
        super().__init__(access)
        take = access.dialect.insert(experiment_knobs).on_conflict_do_nothing()
        self._take = take.returning(experiment_knobs.c.knob)  # nothing when somebody has it
        self._look = access.dialect.insert(experiment_looks).on_conflict_do_nothing()

    async def start(self, experiment: Experiment) -> None:
        """Begin one; raises `BadRequest` when another holds one of its knobs."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)  # also makes two who start at once take turns
            for knob in experiment.knobs:
                row = {"knob": knob, "experiment_id": experiment.id}
                if (await connection.execute(self._take, row)).first() is None:
                    held = select(experiment_knobs.c.experiment_id).where(
                        experiment_knobs.c.knob == knob
                    )
                    other = (await connection.execute(held)).scalar_one_or_none()
                    raise BadRequest(
                        f"an experiment on {knob} is running already: {other}",
                        hint=f"hammerstone experiments stop {other}",
                    )
            await connection.execute(insert(experiments), _values(experiment))

    async def end(self, id: str, end: ExperimentEnd) -> bool:
        """End one that runs; False when it had ended already."""
        done = (
            update(experiments)
            .where(experiments.c.id == id, experiments.c.state == str(ExperimentState.RUNNING))
            .values(
                state=str(ExperimentState.ENDED),
                outcome=str(end.outcome),
                reason=end.reason,
                winner=end.winner,
                proposal=end.proposal,
                ended_at=self._access.clock.now(),
                ended_by=end.who,
            )
        )
        free = delete(experiment_knobs).where(experiment_knobs.c.experiment_id == id)
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            ended = (await connection.execute(done)).rowcount > 0
            await connection.execute(free)
        return ended

    async def note_proposal(self, id: str, proposal: str, reason: str) -> None:
        """Say which change the gate was asked for, and what it said."""
        noted = (
            update(experiments)
            .where(experiments.c.id == id)
            .values(proposal=proposal, reason=reason)
        )
        await self._write(noted)

    async def holders(self, knobs: Iterable[str]) -> dict[str, str]:
        """The running experiment of each knob that one holds."""
        wanted = select(experiment_knobs).where(experiment_knobs.c.knob.in_(list(knobs)))
        rows = await self._rows(wanted)
        return {row.knob: row.experiment_id for row in rows}

    async def knob_in_use(self, name: str) -> str | None:
        """The running experiment on a knob, or on any knob of a policy."""
        knob = experiment_knobs.c.knob
        mine = or_(knob == name, knob.startswith(f"{name}.", autoescape=True))
        statement = select(experiment_knobs.c.experiment_id).where(mine).limit(1)
        return await self._value(statement)

    async def running(self) -> list[Experiment]:
        """Those that run, oldest first."""
        statement = select(experiments).where(experiments.c.state == str(ExperimentState.RUNNING))
        return await self._read(statement.order_by(experiments.c.started_at, experiments.c.id))

    async def list(self, limit: int = 50) -> list[Experiment]:
        """The newest first."""
        order = select(experiments).order_by(experiments.c.started_at.desc(), experiments.c.id)
        return await self._read(order.limit(limit))

    async def get(self, id: str) -> Experiment:
        """One by its id or by how that begins; raises `NotFound`."""
        statement = select(experiments).where(experiments.c.id.startswith(id, autoescape=True))
        found = await self._read(statement.limit(2)) if id else []
        exact = [one for one in found if one.id == id]
        if len(exact or found) != 1:
            raise NotFound(f"there is no experiment {id}", hint="hammerstone experiments list")
        return (exact or found)[0]

    async def _read(self, statement: Any) -> "list[Experiment]":
        rows = await self._mappings(statement)
        return [_experiment(row) for row in rows]

    async def add_look(self, id: str, look: ExperimentLook) -> None:
        """Keep what a day came to; the first look of a day stays."""
        row = {"experiment_id": id, "day": look.day, "at": look.at, "numbers": look.numbers}
        await self._write(self._look, row)

    async def looks(self, id: str) -> "list[ExperimentLook]":
        """Every look, by day."""
        table = experiment_looks
        statement = select(table).where(table.c.experiment_id == id).order_by(table.c.day)
        rows = await self._rows(statement)
        return [ExperimentLook(row.day, row.at, row.numbers) for row in rows]


def _values(experiment: Experiment) -> JsonObject:
    row: dict[str, Any] = {
        name: getattr(experiment, name)
        for name in Experiment.__dataclass_fields__
        if name not in ("variants", "plan", "state", "outcome")
    }
    row["variants"] = [variant.to_json() for variant in experiment.variants]
    row["plan"] = experiment.plan.to_json()
    row["state"] = str(experiment.state)
    row["outcome"] = str(experiment.outcome) if experiment.outcome else None
    return row


def _experiment(row: RowMapping) -> Experiment:
    known: dict[str, Any] = dict(row)
    known["variants"] = tuple(TrialVariant(one["name"], one["changes"]) for one in row["variants"])
    known["plan"] = ExperimentPlan.from_json(row["plan"])
    known["state"] = ExperimentState(row["state"])
    known["outcome"] = ExperimentOutcome(row["outcome"]) if row["outcome"] else None
    return Experiment(**known)
