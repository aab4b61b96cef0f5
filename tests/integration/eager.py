"""An engine that takes the tool it finds: for tests that are about what comes after finding."""

from hammerstone.app.hammerstone import Hammerstone


async def eager(hs: Hammerstone) -> None:
    """Any tool that search finds at all counts as fitting."""
    await hs.policies.change("fit", {"high": 0.0, "middle": 0.0}, who="test", why="found is enough")
