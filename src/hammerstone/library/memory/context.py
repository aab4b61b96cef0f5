"""What memory adds to one request: rules first, then what may help, marked as data.

How much is remembered, and how near something has to be, is one stored policy of several parts.
"""

from dataclasses import dataclass
from typing import ClassVar

from hammerstone.guard.data import as_data

_RULES = (
    "Rules of the person you work for (they hold for this answer; if two contradict, the later"
    " one holds):"
)


@dataclass(frozen=True, slots=True)
class RelatedExchange:
    """One earlier exchange that is near in meaning; `score` says how near."""

    request: str
    answer: str
    session_id: str
    run_id: str
    when: str
    score: float


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of a request. Everything but `rules` and `identity` is data.

    `references` lists the session's values by name; whoever knows them puts them in with
    `dataclasses.replace`. `told` is the reply to a request that only asked to remember or to
    forget something: nothing else has to be done then. `folded` is set when the summary grew.
    """

    rules: str = ""
    identity: str = ""
    facts: str = ""
    about: str = ""  # those of the facts that the request is about
    summary: str = ""
    window: tuple[tuple[str, str], ...] = ()  # (request, answer), oldest first
    recalled: tuple[RelatedExchange, ...] = ()
    log: str = ""
    references: str = ""
    told: str = ""
    folded: int | None = None  # the last exchange the summary was extended by just now

    @property
    def pinned(self) -> str:
        """What no compression touches."""
        rules = f"{_RULES}\n{self.rules}" if self.rules else ""
        return "\n".join(part for part in (self.identity, rules) if part)

    def for_models(self, text: str) -> str:
        """The request with all that belongs to it; the text alone when nothing does.

        What changes least comes first, so that a model finds most of it already read.
        """
        parts = [part for part in (self.pinned, *self.sections()) if part]
        return "\n\n".join([*parts, f"Request: {text}"]) if parts else text

    def sections(self) -> list[str]:
        """Facts, summary, recalled and recent exchanges and references, each marked as data."""
        found: list[str] = []
        if self.facts:
            found.append(as_data("facts about the person", self.facts))
        if self.summary:
            found.append(as_data("summary of what was said before", self.summary))
        if self.log:
            found.append(as_data("notes of today and yesterday", self.log))
        for one in self.recalled:
            source = f"an earlier conversation, {one.when}"
            found.append(as_data(source, f"Asked: {one.request}\nAnswered: {one.answer}"))
        if self.window:
            said = "\n".join(f"Asked: {asked}\nAnswered: {got}" for asked, got in self.window)
            found.append(as_data("this conversation so far, oldest first", said))
        if self.references:
            found.append(as_data("values of this session by name", self.references))
        return found


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
