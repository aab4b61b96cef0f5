"""A kept change of the product's own steps: a patch that a person reads and makes, or leaves."""

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.promotion.proposals import UndoReason


class HarnessChange:
    """Code of the installation is never changed from here: the proposal shows the patch."""

    async def preview(self, target: str, change: JsonObject) -> str:
        return str(change.get("patch", ""))

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        raise BadRequest(
            "a change of the product's own code is made by a person",
            hint="show it with `hammerstone proposals show ID` and apply the patch to the source",
        )

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        return "nothing was changed here"
