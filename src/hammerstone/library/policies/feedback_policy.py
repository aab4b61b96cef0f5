"""What an event of feedback is worth, and when a use counts as a success: decided here alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hammerstone.core.feedback import AGAINST, FOR, SAID, Feedback, FeedbackKind, UseVerdict


@dataclass(frozen=True, slots=True)
class EventReliability:
    """How far each kind of event is believed, from 0 to 1."""

    corrected: float = 1.0
    refused: float = 0.95
    confirmed: float = 0.95
    chosen: float = 0.95
    wrong_tool: float = 0.95
    undone: float = 0.8
    agreed: float = 0.8
    outvoted: float = 0.9
    built_on: float = 0.7
    passed_over: float = 0.7
    repeated: float = 0.6
    asked_again: float = 0.6
    unopposed: float = 0.5
    abandoned: float = 0.2


@dataclass(frozen=True, slots=True)
class FeedbackPolicy(EventReliability):
    """The reliability of events, and when one counts.

    The most reliable event about a use decides, once it is worth `counts`; two that are equally
    reliable and contradict each other decide nothing.
    """

    name: ClassVar[str] = "feedback"
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        kind.replace(" ", "_"): (0.0, 1.0) for kind in (*FOR, *AGAINST, "counts", "doubted")
    }
    enabled: bool = True  # False: what is said is kept, and nothing follows from it
    counts: float = 0.5  # an event worth less says nothing by itself
    doubted: float = 0.3  # worth of the word of a person who refuses nearly everything
    doubted_after: int = 10  # refusals before that is noticed
    doubted_share: float = 0.8  # of the answers that the person got
    asked_again_s: float = 600.0  # how soon the same in other words means dissatisfaction
    looks_back: int = 20  # requests of a person that a later one may say something about

    def worth(self, kind: FeedbackKind) -> float:
        """How far an event of this kind is believed; 0 where it says nothing about success."""
        return float(getattr(self, kind.replace(" ", "_"), 0.0))

    def worth_of_word(
        self, kind: FeedbackKind, said: Sequence[FeedbackKind], answers: int
    ) -> float:
        """How far a person's word is believed, by all that the person has `said` before about so
        many `answers`."""
        refusals = sum(each in (FeedbackKind.REFUSED, FeedbackKind.CORRECTED) for each in said)
        many = refusals >= self.doubted_after
        refuses_all = many and refusals >= self.doubted_share * max(answers, len(said))
        if refuses_all and kind is not FeedbackKind.CONFIRMED:
            return min(self.doubted, self.worth(kind))
        return self.worth(kind)

    def judge(self, events: Iterable[Feedback]) -> UseVerdict:
        """What the events about one use of a tool come to."""
        return self.decided(events)[0]

    def decided(self, events: Iterable[Feedback]) -> tuple[UseVerdict, Feedback | None]:
        """What the events about one use come to, and the event that decided it."""
        counted = _last_words(events)
        good = _surest(each for each in counted if each.kind in FOR)
        bad = _surest(each for each in counted if each.kind in AGAINST)
        well, badly = (each.reliability if each else 0.0 for each in (good, bad))
        if max(well, badly) < self.counts or well == badly:
            return UseVerdict.NEUTRAL, None
        return (UseVerdict.GOOD, good) if well > badly else (UseVerdict.WRONG, bad)


def _surest(events: Iterable[Feedback]) -> Feedback | None:
    return max(events, key=lambda each: each.reliability, default=None)


def _last_words(events: Iterable[Feedback]) -> list[Feedback]:
    """The events, of what each person said outright only the last."""
    said: dict[str, Feedback] = {}
    others: list[Feedback] = []
    for each in events:
        if each.kind in SAID:
            said[each.user] = each
        else:
            others.append(each)
    return [*others, *said.values()]
