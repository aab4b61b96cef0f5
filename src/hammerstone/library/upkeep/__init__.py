"""Upkeep: what use says about a tool, and what has lost its other half."""

from hammerstone.library.upkeep.blame import own_fault
from hammerstone.library.upkeep.lifecycle import Change, Lifecycle
from hammerstone.library.upkeep.tidying import Upkeep, UpkeepReport

__all__ = ["Change", "Lifecycle", "Upkeep", "UpkeepReport", "own_fault"]
