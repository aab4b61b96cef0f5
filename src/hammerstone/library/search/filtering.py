"""Which of the tools found may be shown, by what the database says of them now."""

from collections.abc import Sequence

from hammerstone.core.tools import Status
from hammerstone.library.search.hits import Filters
from hammerstone.library.search.ranking import RankedTool
from hammerstone.storage import Database


async def passing_filters(
    db: Database, ranked: Sequence[RankedTool], filters: Filters
) -> Sequence[RankedTool]:
    """Those that the filters let through."""
    if filters.statuses is None and filters.effects is None:
        return ranked
    standings = await db.tools.standings([each.name for each in ranked])
    passing: list[RankedTool] = []
    for each in ranked:
        status = standings[each.name][0] if each.name in standings else None
        if status is None or status is Status.RETIRED:
            continue
        if filters.statuses is not None and status not in filters.statuses:
            continue
        if filters.effects is not None:
            tool = await db.tools.find_sound(each.name)
            if tool is None or tool.version.spec.effect not in filters.effects:
                continue
        passing.append(each)
    return passing
