"""Near-duplicates: tools that do what another one does already."""

from hammerstone.library.tools.duplicates.duplicate_search import DuplicateMatch, Duplicates
from hammerstone.library.tools.duplicates.merging import merge

__all__ = ["DuplicateMatch", "Duplicates", "merge"]
