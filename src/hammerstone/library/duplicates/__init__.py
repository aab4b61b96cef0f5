"""Near-duplicates: tools that do what another one does already."""

from hammerstone.library.duplicates.finding import Duplicates, Match
from hammerstone.library.duplicates.merging import merge

__all__ = ["Duplicates", "Match", "merge"]
