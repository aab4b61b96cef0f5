"""What was found: relationships between two tools, and patterns worth looking at."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from hammerstone.core.json_types import JsonObject
from hammerstone.learn.policies import MiningPolicy
from hammerstone.learn.promotion.evidence import wilson
from hammerstone.storage import Database
from hammerstone.storage.stores.library.patterns import PatternRow

_Z = 1.28  # one-sided 90 %


@dataclass(frozen=True, slots=True)
class Relationship:
    """`target` came after `source` in `count` runs; `flowing` of these passed a value on."""

    source: str
    target: str
    count: int
    flowing: int
    success: float
    confidence: float  # that a use of the source is followed by the target
    sessions: int

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Tools that were used in this order. `kind` is whole, pair or part."""

    id: str
    steps: tuple[str, ...]
    kind: str
    frequency: int
    success: float
    confidence: float
    sessions: int
    seen: int
    flowing: float
    mean_s: float

    def to_json(self) -> JsonObject:
        return {**asdict(self), "steps": list(self.steps)}


class PatternBook:
    """The patterns that the miner counted."""

    def __init__(self, db: Database, policy: MiningPolicy) -> None:
        self._db = db
        self._policy = policy

    async def relationships(
        self, tool: str | None = None, min_confidence: float = 0.0, limit: int = 200
    ) -> list[Relationship]:
        """Pairs of tools, the surest first."""
        pairs = await self._db.patterns.list(max_length=2, tool=tool, limit=5000)
        alone = await self._alone(pairs)
        found = [
            Relationship(
                source=pair.steps[0],
                target=pair.steps[1],
                count=pair.frequency,
                flowing=pair.flowing,
                success=pair.success,
                confidence=_follows(pair, alone.get(pair.steps[0])),
                sessions=pair.sessions,
            )
            for pair in pairs
        ]
        found = [one for one in found if one.confidence >= min_confidence]
        found.sort(key=lambda one: (-one.confidence, -one.count, one.source, one.target))
        return found[:limit]

    async def patterns(self, min_frequency: int = 2, limit: int = 100) -> list[Pattern]:
        """Closed patterns: those that no longer one explains as well."""
        rows = await self._db.patterns.list(min_frequency=min_frequency, limit=5000)
        alone = await self._alone(rows)
        kept = closed(rows)
        return [self._pattern(row, alone.get(row.steps[0])) for row in kept[:limit]]

    async def ripe(self) -> list[PatternRow]:
        """Patterns that may become tools: often enough, in several sessions, with success."""
        policy = self._policy
        rows = await self._db.patterns.list(min_frequency=policy.frequency, limit=5000)
        return [
            row
            for row in closed(rows)
            if row.sessions >= policy.sessions
            and row.success >= policy.success
            and (row.flowing > 0 or row.whole >= policy.frequency)
        ]

    async def _alone(self, rows: Sequence[PatternRow]) -> dict[str, PatternRow]:
        return await self._db.patterns.singles(sorted({row.steps[0] for row in rows}))

    def _pattern(self, row: PatternRow, alone: PatternRow | None) -> Pattern:
        whole = row.whole >= max(1, row.seen // 2)
        kind = "whole" if whole else "pair" if len(row.steps) == 2 else "part"
        return Pattern(
            id=row.id,
            steps=row.steps,
            kind=kind,
            frequency=row.frequency,
            success=row.success,
            confidence=_follows(row, alone),
            sessions=row.sessions,
            seen=row.seen,
            flowing=row.flowing / row.seen if row.seen else 0.0,
            mean_s=row.seconds / row.seen if row.seen else 0.0,
        )


def closed(rows: Sequence[PatternRow]) -> list[PatternRow]:
    """Those without a longer pattern around them that was seen just as often."""
    explained: set[tuple[tuple[str, ...], int]] = set()
    for row in rows:
        for length in range(2, len(row.steps)):
            for start in range(len(row.steps) - length + 1):
                explained.add((row.steps[start : start + length], row.frequency))
    return [row for row in rows if (row.steps, row.frequency) not in explained]


def _follows(row: PatternRow, alone: PatternRow | None) -> float:
    """A careful estimate that the pattern goes on once its first tool was used: the lower end of
    Wilson's interval."""
    total = max(alone.frequency if alone else 0, row.frequency)
    if not total:
        return 0.0
    return wilson(row.frequency / total, total, _Z)[0]
