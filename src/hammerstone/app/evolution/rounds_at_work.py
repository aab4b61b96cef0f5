"""The rounds that are at work, told from those whose process is gone, by the leases of suites."""

from dataclasses import dataclass

from hammerstone.run.durable.holder import end_dead_lease, work_of
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.evolution_rounds import RoundRow


@dataclass(frozen=True, slots=True)
class OpenRounds:
    """Rounds that have not ended: those that somebody works on, and those that nobody does."""

    at_work: tuple[RoundRow, ...]
    lost: tuple[RoundRow, ...]


def suite_lease(suite: str) -> str:
    """The lease of the one round that works on a suite; its holder is named after the round."""
    return f"evolution {suite}"


async def open_rounds(db: Database) -> OpenRounds:
    """All rounds that have not ended; the leases of dead processes are ended."""
    at_work: list[RoundRow] = []
    lost: list[RoundRow] = []
    for row in await db.evolution.list(running=True):
        await end_dead_lease(db.leases, suite_lease(row.suite))
        held = work_of(await db.leases.holder(suite_lease(row.suite))) == row.id
        (at_work if held else lost).append(row)
    return OpenRounds(tuple(at_work), tuple(lost))
