"""Texts of prompts by name and number, and the scores they got."""

from sqlalchemy import RowMapping, bindparam, delete, func, insert, select

from hammerstone.core.prompt_versions import PromptOrigin, PromptScore, PromptVersion
from hammerstone.storage.access import Store, columns_of, value_of
from hammerstone.storage.schema import prompt_scores, prompt_versions

_ONE = select(prompt_versions).where(
    (prompt_versions.c.name == bindparam("which")) & (prompt_versions.c.hash == bindparam("what"))
)
_ALL = (
    select(prompt_versions)
    .where(prompt_versions.c.name == bindparam("which"))
    .order_by(prompt_versions.c.number)
)
_LAST = select(func.max(prompt_versions.c.number)).where(
    prompt_versions.c.name == bindparam("which")
)


class PromptStore(Store):
    async def add(self, version: PromptVersion) -> PromptVersion:
        """Store a text under the next number; one that is there already stays as it is."""
        async with self._access.writing() as connection:
            known = {"which": version.name, "what": version.hash}
            row = (await connection.execute(_ONE, known)).mappings().first()
            if row is None:
                last = (await connection.execute(_LAST, {"which": version.name})).scalar()
                number = (last or 0) + 1
                values = columns_of(version, number=number, origin=str(version.origin))
                await connection.execute(insert(prompt_versions), values)
                row = (await connection.execute(_ONE, known)).mappings().one()
        return _version(row)

    async def versions(self, name: str) -> list[PromptVersion]:
        """The stored texts of a prompt, oldest first."""
        rows = await self._mappings(_ALL, {"which": name})
        return [_version(row) for row in rows]

    async def delete(self, name: str, hash: str) -> bool:
        """Take a text away, with its scores; whether it was there."""
        async with self._access.writing() as connection:
            for table in (prompt_scores, prompt_versions):
                which = (table.c.name == name) & (table.c.hash == hash)
                gone = await connection.execute(delete(table).where(which))
        return gone.rowcount > 0

    async def score(self, score: PromptScore, *, stored: bool) -> bool:
        """Keep a score. With `stored`, only while the text itself is: False where it is gone."""
        values = columns_of(score, results=dict(score.results))
        async with self._access.writing() as connection:
            known = {"which": score.name, "what": score.hash}
            row = (await connection.execute(_ONE, known)).first()
            if row is None and stored:
                return False
            await connection.execute(insert(prompt_scores), values)
        return True

    async def scores(self, name: str) -> list[PromptScore]:
        """Every score of a prompt's texts, newest first."""
        statement = (
            select(prompt_scores)
            .where(prompt_scores.c.name == name)
            .order_by(prompt_scores.c.at.desc(), prompt_scores.c.id)
        )
        rows = await self._mappings(statement)
        return [PromptScore(**row) for row in rows]


def _version(row: RowMapping) -> PromptVersion:
    return value_of(PromptVersion, row, origin=PromptOrigin(row["origin"]))
