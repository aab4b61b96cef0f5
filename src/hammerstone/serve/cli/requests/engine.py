"""The engine for one command: opened, used and closed again."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

T = TypeVar("T")


def with_engine(work: "Callable[[Hammerstone], Awaitable[T]]", **settings: Any) -> T:
    """What `work` gives on an engine with these settings, which is open for that long."""
    import asyncio

    from hammerstone.app.hammerstone import Hammerstone

    async def once() -> T:
        async with Hammerstone.open(**settings) as hs:
            return await work(hs)

    return asyncio.run(once())
