"""One pass over the library: standings that use has changed, and halves without the other."""

from dataclasses import dataclass, field

from hammerstone.core.json_types import JsonObject
from hammerstone.library.search.index.loaded_index import TOOL
from hammerstone.library.tools.registry import HIDDEN, Registry, ToolIndex
from hammerstone.library.tools.upkeep.lifecycle import Change, Lifecycle
from hammerstone.storage import Database


@dataclass(slots=True)
class UpkeepReport:
    """What was changed, or with a dry run would be."""

    dry_run: bool
    standings: list[Change] = field(default_factory=list[Change])
    not_indexed: list[str] = field(default_factory=list[str])  # tools that search did not know
    without_tool: list[str] = field(default_factory=list[str])  # index entries of no tool
    empty: list[str] = field(default_factory=list[str])  # names with nothing behind them

    @property
    def changes(self) -> int:
        return sum(map(len, (self.standings, self.not_indexed, self.without_tool, self.empty)))

    def to_json(self) -> JsonObject:
        return {
            "dry_run": self.dry_run,
            "standings": [
                {
                    "tool": each.tool,
                    "before": str(each.before),
                    "after": str(each.after),
                    "reason": each.reason,
                }
                for each in self.standings
            ],
            "not_indexed": list(self.not_indexed),
            "without_tool": list(self.without_tool),
            "empty": list(self.empty),
        }


class Upkeep:
    """The regular care for the library: retirement, merging and what use asks for."""

    def __init__(
        self, db: Database, registry: Registry, lifecycle: Lifecycle, index: ToolIndex
    ) -> None:
        self._db = db
        self._registry = registry
        self._lifecycle = lifecycle
        self._index = index

    async def run(self, *, dry_run: bool = False) -> UpkeepReport:
        """Bring the library in order; with `dry_run` only say what would change."""
        report = UpkeepReport(dry_run, standings=await self._lifecycle.due())
        if not dry_run:
            for change in report.standings:
                await self._lifecycle.apply(change)
        await self._orphans(report)
        return report

    async def _orphans(self, report: UpkeepReport) -> None:
        # In this order: a tool that is registered meanwhile is in the second, never a ghost.
        indexed = {key.removeprefix(TOOL) for key in await self._db.index.keys(TOOL)}
        statuses = await self._db.tools.statuses()
        visible = {name for name, status in statuses.items() if status not in HIDDEN}
        report.not_indexed = sorted(visible - indexed)
        report.without_tool = sorted(indexed - visible)
        report.empty = await self._db.tools.empty_names()
        if report.dry_run:
            return
        for name in report.not_indexed:
            tool = await self._registry.find(name)
            if tool is not None:
                await self._index.index(tool)
        for name in report.without_tool:
            await self._index.remove(name)
        await self._db.tools.drop_empty_names()
