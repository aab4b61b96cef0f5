"""Search: the right tool for a request, or the knowledge that there is none."""

from hammerstone.library.search.experience import PastOutcome
from hammerstone.library.search.hits import Band, Filters, Fit, Hit
from hammerstone.library.search.tool_search import ToolSearch

__all__ = ["Band", "Filters", "Fit", "Hit", "PastOutcome", "ToolSearch"]
