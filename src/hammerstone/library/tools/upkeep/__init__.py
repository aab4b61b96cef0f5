"""Upkeep: what use says about a tool, and what has lost its other half."""

from hammerstone.library.tools.upkeep.blame import own_fault
from hammerstone.library.tools.upkeep.lifecycle import Change, Lifecycle
from hammerstone.library.tools.upkeep.tidying import Upkeep, UpkeepReport

__all__ = ["Change", "Lifecycle", "Upkeep", "UpkeepReport", "own_fault"]
