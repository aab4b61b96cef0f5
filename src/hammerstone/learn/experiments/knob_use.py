"""Who is trying values of a knob at the moment: asked before anything else changes it."""

from typing import Protocol


class KnobUse(Protocol):
    """Whether somebody else is trying values of a knob at the moment."""

    async def in_use(self, name: str) -> str:
        """Who uses `policy.field` or `prompt/name`, in words; empty when nobody does."""
        ...


class NobodyElse:
    """Fills `KnobUse` where nothing runs experiments."""

    async def in_use(self, name: str) -> str:
        return ""
