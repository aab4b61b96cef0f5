"""The steps of a run: what was planned, how far each came, what it cost, what came out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.schema import steps

_OF_RUN = select(steps).where(steps.c.run_id == bindparam("which")).order_by(steps.c.place)


@dataclass(frozen=True, slots=True)
class StepRow:
    """One node of a run's task tree. `status` is waiting, running, done, failed or skipped."""

    run_id: str
    id: str
    place: int
    text: str
    status: str
    at: datetime
    parent: str = ""
    tool: str = ""
    result: Json = None
    error: str = ""
    tokens: int = 0
    model_calls: int = 0
    usd: float = 0.0
    seconds: float = 0.0


class Steps:
    def __init__(self, access: Access) -> None:
        self._access = access
        insert = access.dialect.insert(steps)
        keys = ("run_id", "id")
        self._put = insert.on_conflict_do_update(
            index_elements=[steps.c.run_id, steps.c.id],
            set_={c.name: insert.excluded[c.name] for c in steps.columns if c.name not in keys},
        )

    async def put(self, rows: Sequence[StepRow]) -> None:
        """Store steps as they are now; one that is there already is replaced."""
        if rows:
            async with self._access.writing() as connection:
                await connection.execute(self._put, [asdict(row) for row in rows])

    async def of_run(self, run_id: str) -> list[StepRow]:
        """A run's steps in the order they were planned."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_OF_RUN, {"which": run_id})).mappings().all()
        return [StepRow(**dict[str, Any](row)) for row in rows]
