"""Upkeep: what use says about a tool, and what has lost its other half."""

from hammerstone.library.tools.upkeep.lifecycle import Change, Lifecycle, Upkeep, UpkeepReport
from hammerstone.library.tools.upkeep.trust import TrustBook, TrustPolicy, own_fault

__all__ = [
    "Change",
    "Lifecycle",
    "TrustBook",
    "TrustPolicy",
    "Upkeep",
    "UpkeepReport",
    "own_fault",
]
