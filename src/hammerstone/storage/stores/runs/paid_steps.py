"""What jobs have paid for: kept until they are done, so that nobody pays for it again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, exists, literal, select

from hammerstone.core.jobs import JobState
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Store
from hammerstone.storage.schema import jobs, paid_steps

_OF_JOB = (
    select(paid_steps.c.step, paid_steps.c.occurrence, paid_steps.c.result)
    .where(paid_steps.c.job_kind == bindparam("kind"), paid_steps.c.job_key == bindparam("key"))
    .order_by(paid_steps.c.at, paid_steps.c.step, paid_steps.c.occurrence)
)
_FORGET = delete(paid_steps).where(
    paid_steps.c.job_kind == bindparam("kind"), paid_steps.c.job_key == bindparam("key")
)


@dataclass(frozen=True, slots=True)
class PaidStep:
    """One step. `occurrence` tells it from the job's other steps with the same name."""

    step: str
    occurrence: int
    result: Json


@dataclass(frozen=True, slots=True)
class StepOwner:
    """The job that pays, and who holds it; without a holder nobody else may work on it."""

    kind: str
    key: str
    holder: str = ""
    session_id: str = ""


class PaidSteps(Store):
    async def keep(self, owner: StepOwner, paid: PaidStep) -> bool:
        """Store what a step came to; False, and nothing is stored, when the job was lost."""
        values = {
            "job_kind": owner.kind,
            "job_key": owner.key,
            "step": paid.step,
            "occurrence": paid.occurrence,
            "session_id": owner.session_id,
            "result": paid.result,
            "at": self._access.clock.now(),
        }
        columns = [paid_steps.c[name] for name in values]
        row = [literal(value, paid_steps.c[name].type) for name, value in values.items()]
        insert = self._access.dialect.insert(paid_steps)
        put = insert.from_select(columns, select(*row).where(_held(owner))).on_conflict_do_update(
            index_elements=columns[:4],
            set_={"result": insert.excluded.result, "at": insert.excluded.at},
        )
        async with self._access.writing() as connection:
            kept = await connection.execute(put.returning(paid_steps.c.occurrence))
            return kept.first() is not None

    async def of_job(self, kind: str, key: str) -> Sequence[PaidStep]:
        """What a job has paid for so far, in that order."""
        rows = await self._rows(_OF_JOB, {"kind": kind, "key": key})
        return [PaidStep(row.step, row.occurrence, row.result) for row in rows]

    async def forget(self, kind: str, key: str) -> None:
        """The job is done: nobody will do it again."""
        await self._write(_FORGET, {"kind": kind, "key": key})

    async def purge(self, before: datetime) -> int:
        """Forget what was paid before a moment and never used again; how many steps."""
        old = delete(paid_steps).where(paid_steps.c.at <= before)
        return await self._write(old)


def _held(owner: StepOwner) -> ColumnElement[bool]:
    if not owner.holder:
        return literal(1) == 1
    return exists().where(
        jobs.c.kind == owner.kind,
        jobs.c.key == owner.key,
        jobs.c.holder == owner.holder,
        jobs.c.state == str(JobState.WAITING),
    )
