"""How often each judge was right where the truth is known."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select

from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access
from hammerstone.storage.schema import judge_checks


@dataclass(frozen=True, slots=True)
class JudgeCheckRow:
    judge: str
    model: str
    reliability: JsonObject
    at: datetime


class JudgeChecks:
    def __init__(self, access: Access) -> None:
        self._access = access

    async def add(self, row: JudgeCheckRow) -> None:
        values = {name: getattr(row, name) for name in row.__slots__}
        async with self._access.writing() as connection:
            await connection.execute(insert(judge_checks), values)

    async def latest(self, judge: str, model: str) -> JudgeCheckRow | None:
        """The last check of a judge with this model."""
        statement = (
            select(judge_checks)
            .where(judge_checks.c.judge == judge, judge_checks.c.model == model)
            .order_by(judge_checks.c.id.desc())
            .limit(1)
        )
        async with self._access.reading() as connection:
            row = (await connection.execute(statement)).mappings().first()
        return JudgeCheckRow(**{k: v for k, v in row.items() if k != "id"}) if row else None

    async def list(self, limit: int = 20) -> list[JudgeCheckRow]:
        """The newest checks first."""
        statement = select(judge_checks).order_by(judge_checks.c.id.desc()).limit(limit)
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement)).mappings().all()
        return [JudgeCheckRow(**{k: v for k, v in row.items() if k != "id"}) for row in rows]
