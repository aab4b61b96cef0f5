"""Turns signals into labels: each with what speaks for it, and how far it is to be believed.

And which decisions a person should label first: those whose label would help most.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.decisions import LabelQuestion, PersonLabel, SearchDecision
from hammerstone.core.feedback import (
    AGAINST,
    AGAINST_THE_PICK,
    FOR,
    SAID,
    Feedback,
    FeedbackKind,
)
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.labels.credibility import CheckedWord, WordChecks
from hammerstone.learn.policies import LabelPolicy
from hammerstone.library.policies.feedback_policy import FeedbackPolicy

_AGAINST_TOOL = AGAINST_THE_PICK | {FeedbackKind.ABANDONED, FeedbackKind.FAILED}
_BEFORE_WORDS = {FeedbackKind.AGREED, FeedbackKind.OUTVOTED, FeedbackKind.FAILED}
LABELLED = "labelled"


@dataclass(frozen=True, slots=True)
class LabelSignal:
    """One thing that somebody said or did, or that happened, and which way it points."""

    kind: str
    user: str
    right: bool
    reliability: float  # chance that it points the right way; 0.5 says nothing

    @property
    def said(self) -> bool:
        """Whether somebody said it, rather than that it happened."""
        return self.kind == LABELLED or self.kind in SAID

    @property
    def log_odds(self) -> float:
        sure = min(0.999, max(0.5, self.reliability))
        return math.log(sure / (1 - sure)) * (1 if self.right else -1)


@dataclass(frozen=True, slots=True)
class DecisionLabel:
    """What all signals about a decision come to; `right` is None where that is not enough.

    `tool` is the right one where it is known. `contradicted`: signals that count point both ways.
    """

    decision: SearchDecision
    what: LabelQuestion
    right: bool | None
    certainty: float
    signals: tuple[LabelSignal, ...]
    tool: str = ""
    contradicted: bool = False

    @property
    def because(self) -> str:
        """The signals in words."""
        return ", ".join(f"{one.kind} ({one.reliability:.0%})" for one in self.signals)

    def to_json(self) -> JsonObject:
        signals: list[Json] = [
            {"kind": one.kind, "user": one.user, "right": one.right, "worth": one.reliability}
            for one in self.signals
        ]
        return {
            "decision": self.decision.id,
            "request": self.decision.request,
            "chosen": self.decision.chosen,
            "band": self.decision.band,
            "probability": round(self.decision.probability, 4),
            "at": self.decision.at.isoformat(),
            "what": str(self.what),
            "right": self.right,
            "certainty": round(self.certainty, 4),
            "tool": self.tool,
            "contradicted": self.contradicted,
            "candidates": [candidate.name for candidate in self.decision.candidates],
            "signals": signals,
        }


class Labeller:
    """Labels decisions with the feedback about their runs and what people said about them."""

    def __init__(self, policy: LabelPolicy, feedback: FeedbackPolicy) -> None:
        self._policy = policy
        self._feedback = feedback

    def labels(
        self,
        decisions: Sequence[SearchDecision],
        events: Mapping[str, Sequence[Feedback]],
        said: Iterable[PersonLabel] = (),
        what: LabelQuestion = LabelQuestion.TOOL,
    ) -> list[DecisionLabel]:
        """A label for each decision; `events` by run, oldest first."""
        by_decision: dict[str, list[PersonLabel]] = {}
        for one in said:
            if one.what is what:
                by_decision.setdefault(one.decision, []).append(one)
        found = {
            each.id: self._signals(
                each, events.get(each.run_id, ()), by_decision.get(each.id, ()), what
            )
            for each in decisions
        }
        trust = self._trust(found.values()) | self._saying_the_same(decisions, found)
        return [
            self._label(
                each,
                what,
                [_trusted(signal, trust) for signal in found[each.id]],
                _right_tool(each, events.get(each.run_id, ()), by_decision.get(each.id, ())),
            )
            for each in decisions
        ]

    def trust(
        self,
        decisions: Sequence[SearchDecision],
        events: Mapping[str, Sequence[Feedback]],
        what: LabelQuestion = LabelQuestion.TOOL,
    ) -> dict[str, float]:
        """How far the word of each person is believed who said anything."""
        found = {
            one.id: self._signals(one, events.get(one.run_id, ()), (), what) for one in decisions
        }
        return self._trust(found.values()) | self._saying_the_same(decisions, found)

    def _signals(
        self,
        decision: SearchDecision,
        events: Sequence[Feedback],
        said: Sequence[PersonLabel],
        what: LabelQuestion,
    ) -> list[LabelSignal]:
        """What points to a label; of each person and kind the last, of all words the last one."""
        against = _AGAINST_TOOL if what is LabelQuestion.TOOL else AGAINST
        found: dict[tuple[str, str], LabelSignal] = {}
        for event in events:
            about = event.tool == decision.chosen if decision.used else not event.tool
            counts = event.kind in FOR or event.kind in against
            if not about or not counts or (what is LabelQuestion.TOOL and not decision.used):
                continue
            worth = self._worth(event)
            key = (event.user, "said" if event.kind in SAID else str(event.kind))
            found[key] = LabelSignal(str(event.kind), event.user, event.kind in FOR, worth)
        for label in said:
            worth = self._policy.person
            found[label.user, "said"] = LabelSignal(LABELLED, label.user, label.right, worth)
        return list(found.values())

    def _label(
        self,
        decision: SearchDecision,
        what: LabelQuestion,
        signals: Sequence[LabelSignal],
        other: str,
    ) -> DecisionLabel:
        policy = self._policy
        odds = self._odds(signals)
        sure = min(policy.most, 1 / (1 + math.exp(-abs(odds))))
        counted = {one.right for one in signals if one.reliability >= policy.counts}
        enough = bool(signals) and sure >= policy.counts
        right = odds > 0 if enough else None
        tool = decision.chosen if right and decision.used else other
        return DecisionLabel(
            decision, what, right, sure, tuple(signals), tool, contradicted=len(counted) > 1
        )

    def _worth(self, event: Feedback) -> float:
        """The chance that an event points the right way; less where it was doubted already."""
        usual, stated = self._feedback.worth(event.kind), self._policy.chance(event.kind)
        believed = min(1.0, event.reliability / usual) if usual else 1.0
        return 0.5 + (stated - 0.5) * believed

    def _odds(self, signals: Sequence[LabelSignal]) -> float:
        """All together: signals of one side say much the same, so only the strongest counts
        in full."""
        total = 0.0
        for right in (True, False):
            side = sorted(abs(one.log_odds) for one in signals if one.right is right)
            if side:
                strength = side[-1] + self._policy.beside * sum(side[:-1])
                total += strength if right else -strength
        return total

    def _saying_the_same(
        self,
        decisions: Sequence[SearchDecision],
        found: Mapping[str, Sequence[LabelSignal]],
    ) -> dict[str, float]:
        """People who say the same about nearly every answer: their word says nothing."""
        got = Counter(one.user for one in decisions)
        said = Counter(
            (one.user, one.right) for signals in found.values() for one in signals if one.said
        )
        policy = self._policy
        return {
            user: 0.5
            for (user, _), times in said.items()
            if times >= policy.same_after and times >= policy.same_share * got[user]
        }

    def _trust(self, found: Iterable[Sequence[LabelSignal]]) -> dict[str, float]:
        """Words against what was known about the same answer before anybody said a word."""
        words: dict[str, list[CheckedWord]] = {}
        known: list[float] = []
        for signals in found:
            before = sum(one.log_odds for one in signals if one.kind in _BEFORE_WORDS)
            known.append(before)
            for one in signals:
                if one.said:
                    words.setdefault(one.user, []).append(CheckedWord(one.user, one.right, before))
        checks, policy = WordChecks(known), self._policy
        return {
            user: checks.credibility(said, policy.person, policy.trust_after)
            for user, said in words.items()
        }


def _trusted(signal: LabelSignal, trust: Mapping[str, float]) -> LabelSignal:
    if not signal.said or signal.user not in trust:
        return signal
    return replace(signal, reliability=max(0.5, min(signal.reliability, trust[signal.user])))


def _right_tool(
    decision: SearchDecision, events: Sequence[Feedback], said: Sequence[PersonLabel]
) -> str:
    """The tool that was meant instead, where a person named or picked it."""
    named = [label.tool for label in said if label.tool and label.tool != decision.chosen]
    picked = [
        event.tool
        for event in events
        if event.kind is FeedbackKind.CHOSEN and event.tool and event.tool != decision.chosen
    ]
    return next(iter([*named, *reversed(picked)]), "")


def usefulness(label: DecisionLabel) -> float:
    """From 0 to 2: how much is open about a decision, and how near it was to another one.

    A decision near the border of a band teaches where the border belongs; one that search was
    sure about teaches little, unless what is known about it contradicts itself.
    """
    decision = label.decision
    open_share = 2 * (1 - label.certainty) if label.signals else 1.0
    borders = [decision.weights.get(name, 0.5) for name in ("high", "middle")]
    near = max(1 - min(1.0, abs(decision.probability - border) / 0.3) for border in borders)
    return open_share * (0.2 + 0.8 * near) + (1.0 if label.contradicted else 0.0)


def queue(labels: Sequence[DecisionLabel], length: int) -> list[DecisionLabel]:
    """The decisions worth a look, most useful first; one of each request.

    What a person has labelled already, and what offers no tool, is left out.
    """
    waiting = [
        label
        for label in labels
        if label.decision.chosen and not any(one.kind == "labelled" for one in label.signals)
    ]
    waiting.sort(key=lambda label: (-usefulness(label), -label.decision.at.timestamp()))
    found: dict[str, DecisionLabel] = {}
    for label in waiting:
        found.setdefault(f"{label.decision.request} {label.decision.chosen}", label)
    return list(found.values())[:length]
