"""Near-duplicates: tools that do what another one does already."""

from hammerstone.library.duplicates.duplicate_search import DuplicateMatch, Duplicates
from hammerstone.library.duplicates.merging import merge

__all__ = ["DuplicateMatch", "Duplicates", "merge"]
