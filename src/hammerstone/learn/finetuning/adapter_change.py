"""How an adapter is put on the embedded model by the gate, and taken off again."""

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.promotion.proposals import UndoReason
from hammerstone.library.prompting.own_adapters import OwnAdapters


class AdapterChange:
    """The adapter in use."""

    def __init__(self, adapters: OwnAdapters) -> None:
        self._adapters = adapters

    async def preview(self, target: str, change: JsonObject) -> str:
        return f"adapter {change.get('adapter')} in the place of {self._adapters.active}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        name = str(change["adapter"])
        who, reason = str(why["who"]), str(why["reason"])
        before = await self._adapters.activate(
            name, who=who, why=reason, proposal=str(why["proposal"])
        )
        return {"before": before, "after": name}

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        before, after = str(how["before"]), str(how["after"])
        if not self._adapters.put_back(before, after):
            return "another adapter is in use by now; it stays"
        return f"the adapter is {self._adapters.active} again"
