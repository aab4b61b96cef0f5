"""How much is remembered, and how near something has to be: one stored policy of several parts."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class ContextSize:
    """How much of each kind memory may add, in tokens."""

    tokens: int = 800  # all together, beside rules and identity
    window: int = 10  # exchanges
    exchange_tokens: int = 120  # of one exchange
    facts_tokens: int = 120
    summary_tokens: int = 200
    log_tokens: int = 100


@dataclass(frozen=True)
class RecallPolicy:
    """How near an earlier exchange has to be."""

    recalled: int = 3
    meaning_share: float = 0.7
    words_share: float = 0.3
    minimum_score: float = 0.35
    minimum_meaning: float = 0.48  # raw similarity; shared words alone recall nothing
    half_life_days: float = 30.0
    oldest_share: float = 0.7  # what age alone can take from a score ends here
    searched: int = 20_000  # of one person's exchanges, the newest


@dataclass(frozen=True)
class SummaryPolicy:
    """Who folds a long session."""

    summary_by_model: bool = False  # in the background, with a budget of its own
    summary_model_tokens: int = 1_500


@dataclass(frozen=True)
class MemoryPolicy(SummaryPolicy, RecallPolicy, ContextSize):
    """What memory may add to a request. Rules and identity are added whatever they need."""

    name: ClassVar[str] = "memory"
    enabled: bool = True
