"""What search found for words that it knows well, kept for the same words with other values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cachetools import LRUCache

from hammerstone.library.policies import Policies, SearchPolicy
from hammerstone.library.search.hits import Fit, Hit
from hammerstone.library.search.index.loaded_index import LoadedIndex
from hammerstone.library.search.text.request_text import count_numbers, count_values, wording
from hammerstone.tracing import span

_MOST_KEPT = 1_000
_Key: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class FoundTools:
    """The hits for some words, how the first one was judged, and the numbers in force then; `why`
    says for each hit in a sentence why it stands there."""

    hits: tuple[Hit, ...]
    fit: Fit
    weights: dict[str, float]
    why: tuple[str, ...]

    @staticmethod
    def of(hits: Sequence[Hit], fit: Fit, weights: dict[str, float]) -> "FoundTools":
        return FoundTools(tuple(hits), fit, weights, tuple(hit.explanation for hit in hits))


class KnownWordings:
    """The findings for words that one tool has answered several times, and no other.

    They hold while the same tool answers these words, no tool came, changed or went, and the
    numbers of the policies are the same; a request that gives more or fewer values is another.
    """

    def __init__(self, index: LoadedIndex, policies: Policies) -> None:
        self._index = index
        self._policies = policies
        self._kept: LRUCache[_Key, FoundTools] = LRUCache(_MOST_KEPT)

    def find(self, query: str, tenant: str) -> FoundTools | None:
        """What was found for the same words with other values, if that still holds."""
        key = self._key(query, tenant)
        found = self._kept.get(key) if key else None
        if found is not None:
            with span("search tools", kind="search", input=query) as traced:
                told = zip(found.hits, found.why, strict=True)
                traced.output = [{"tool": hit.name, "why": why} for hit, why in told]
                traced.set("hammerstone.known_wording", True)
        return found

    def has(self, query: str, tenant: str) -> bool:
        key = self._key(query, tenant)
        return key is not None and key in self._kept

    def keep(self, query: str, tenant: str, found: FoundTools) -> None:
        """Keep what was found, if the words are known well."""
        key = self._key(query, tenant)
        if key is not None and found.hits and found.hits[0].same_wording:
            self._kept[key] = found

    def _key(self, query: str, tenant: str) -> _Key | None:
        """All that a finding depends on; None for words that are not known well."""
        catalog, policies = self._index.catalog, self._policies
        experience = self._index.experiences.get(tenant)
        fewest = policies.get(SearchPolicy).known_after
        if experience is None or not fewest:
            return None
        words = wording(query)
        tool = experience.known_tool(words, fewest, catalog.places)
        if tool is None:
            return None
        given = count_numbers(query), count_values(query)
        in_force = policies.revision, policies.mark
        return (tenant, words, *given, tool, catalog.layout, *in_force)
