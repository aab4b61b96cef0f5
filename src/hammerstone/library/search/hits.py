"""What a search gives back: the tools that may be shown, in the order that use gives them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hammerstone.core.decisions import ToolCandidate
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Status
from hammerstone.library.policies import SearchPolicy
from hammerstone.library.search.fit.signals import Signals
from hammerstone.library.search.index.loaded_index import Standings
from hammerstone.library.search.ranking import RankedTool
from hammerstone.storage import Database


@dataclass(frozen=True, slots=True)
class Filters:
    """Which tools may be found; None allows every value. Retired tools never are."""

    statuses: frozenset[Status] | None = None
    effects: frozenset[Effect] | None = None
    names: frozenset[str] | None = None  # for instance what a permission leaves


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool found, and why it stands where it stands."""

    name: str
    score: float  # what hits are ordered by
    relevance: float  # meaning, words and experience together; about 1 at best
    cosine: float | None  # raw similarity; None when search works with words alone
    words: float  # share of a perfect match by words
    learned: float = 0.0  # what past requests added or took
    unfilled: float = 0.0  # share lost to numbers that it lacks or has no use for
    success: float | None = None  # smoothed success rate, when re-ranked by use
    frequency: float | None = None
    considered: bool = True  # False under the similarity floor
    same_wording: bool = False  # it answers requests that differ in values alone
    named: bool = False  # the request calls it by its name

    @property
    def candidate(self) -> ToolCandidate:
        """What spoke for it, as it is kept with the decision."""
        return ToolCandidate(
            name=self.name,
            relevance=self.relevance,
            cosine=self.cosine,
            words=self.words,
            learned=self.learned,
            unfilled=self.unfilled,
            success=self.success,
            frequency=self.frequency,
        )

    @property
    def explanation(self) -> str:
        """The score in a sentence for people."""
        parts = [f"relevance {self.relevance:.2f}"]
        if self.cosine is not None:
            parts.append(f"meaning {self.cosine:.2f}")
        parts.append(f"words {self.words:.2f}")
        if abs(self.learned) >= 0.005:
            parts.append(f"past requests {self.learned:+.2f}")
        if self.unfilled >= 0.005:
            parts.append(f"numbers missing or spare -{self.unfilled:.0%}")
        if self.success is not None:
            parts.append(f"success {self.success:.0%}, use {self.frequency or 0:.2f}")
        if self.named:
            parts.append("called by its name")
        if self.same_wording:
            parts.append("answered the same request with other values")
        if not self.considered:
            parts.append("too different in meaning")
        return ", ".join(parts)


def led_by(hits: list[Hit], name: str | None) -> list[Hit]:
    """The hits, led by the tool that answers the same words with other values."""
    first = [replace(hit, same_wording=True, considered=True) for hit in hits if hit.name == name]
    return [*first, *(hit for hit in hits if hit.name != name)]


class Band(StrEnum):
    """What the probability of a fit means for the request."""

    HIGH = "high"  # run it
    MIDDLE = "middle"  # check parameters and description first
    LOW = "low"  # build a new tool


@dataclass(frozen=True, slots=True)
class Fit:
    """The calibrated probability that the best hit answers the request."""

    probability: float
    band: Band
    signals: Signals | None  # None when nothing was found

    def to_json(self) -> JsonObject:
        return {
            "probability": round(self.probability, 4),
            "band": str(self.band),
            "signals": dict(self.signals.to_json()) if self.signals else None,
        }


async def passing_filters(
    db: Database, ranked: Sequence[RankedTool], filters: Filters
) -> Sequence[RankedTool]:
    """Those that the filters let through."""
    if filters.statuses is None and filters.effects is None:
        return ranked
    standings = await db.tools.standings([each.name for each in ranked])
    passing: list[RankedTool] = []
    for each in ranked:
        status = standings[each.name][0] if each.name in standings else None
        if status is None or status is Status.RETIRED:
            continue
        if filters.statuses is not None and status not in filters.statuses:
            continue
        if filters.effects is not None:
            tool = await db.tools.find_sound(each.name)
            if tool is None or tool.version.spec.effect not in filters.effects:
                continue
        passing.append(each)
    return passing


def reranked(
    ranked: Sequence[RankedTool], standings: Standings, policy: SearchPolicy, floor: float
) -> list[Hit]:
    """Hits by relevance, success and frequency of use, best first; what is less similar than
    `floor` is not considered."""
    hits: list[Hit] = []
    for each in ranked:
        score, success, frequency = each.relevance, None, None
        if policy.rerank:
            standing = standings[each.name]
            success, frequency = standing.success, standing.frequency
            score = (
                policy.relevance_share * each.relevance
                + policy.success_share * success
                + policy.frequency_share * frequency
            )
        hits.append(
            Hit(
                name=each.name,
                score=score,
                relevance=each.relevance,
                cosine=each.cosine,
                words=each.words,
                learned=each.learned,
                unfilled=each.unfilled,
                success=success,
                frequency=frequency,
                considered=each.cosine is None or each.cosine >= floor,
            )
        )
    return sorted(hits, key=lambda hit: (-hit.score, hit.name))
