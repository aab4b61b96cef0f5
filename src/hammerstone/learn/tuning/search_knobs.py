"""The numbers that order tools: meaning against words, relevance against use.

Search decisions are replayed with other numbers, from what was logged: no model, no index.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.decisions import SearchDecision, ToolCandidate
from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.learn.tuning.knob import KnobValues, Scores, TrustedCases, TuningCase
from hammerstone.library.policies import Policies, SearchPolicy

Numbers = NDArray[np.float64]
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class RightTool:
    """A logged decision, and the tool that it should have chosen."""

    decision: SearchDecision
    tool: str


@dataclass(frozen=True, slots=True)
class SearchTable:
    """The candidates of many decisions as numbers: a row a decision, a column a candidate."""

    meaning: Numbers
    words: Numbers
    learned: Numbers
    lost: Numbers
    success: Numbers
    frequency: Numbers
    there: NDArray[np.bool_]
    right: NDArray[np.bool_]

    @staticmethod
    def of(cases: Sequence[TuningCase]) -> "SearchTable":
        known: list[RightTool] = [case.data for case in cases]
        width = max((len(one.decision.candidates) for one in known), default=0)
        shape = (len(known), width)
        filled = {name: np.zeros(shape) for name in _COLUMNS}
        there, right = np.zeros(shape, bool), np.zeros(shape, bool)
        for row, one in enumerate(known):
            for column, candidate in enumerate(one.decision.candidates):
                there[row, column] = True
                right[row, column] = candidate.name == one.tool
                for name, value in _numbers(candidate, one.decision.weights).items():
                    filled[name][row, column] = value
        return SearchTable(**filled, there=there, right=right)

    def order(self, values: KnobValues) -> Numbers:
        """The score of every candidate with these numbers."""
        meaning, words = values["meaning_weight"], values["words_weight"]
        weighted = meaning * self.meaning + words * self.words
        weighted -= self.lost * np.maximum(weighted, 0)
        relevance = (weighted + self.learned) / max(_LEAST, meaning + words)
        score = (
            values["relevance_share"] * relevance
            + values["success_share"] * self.success
            + values["frequency_share"] * self.frequency
        )
        return np.where(self.there, score, -np.inf)

    def right_first(self, values: KnobValues) -> Scores:
        """1 for each decision whose right tool comes first with these numbers, else 0."""
        if not self.there.size:
            return np.zeros(len(self.there))
        first = self.order(values).argmax(axis=1)
        return self.right[np.arange(len(first)), first].astype(float)


_COLUMNS = ("meaning", "words", "learned", "lost", "success", "frequency")


def _numbers(candidate: ToolCandidate, weights: KnobValues) -> dict[str, float]:
    """What a candidate's relevance was made of: its meaning is found by taking the rest away."""
    meaning, words = weights["meaning_weight"], weights["words_weight"]
    lost = min(candidate.unfilled, 1 - _LEAST)
    weighted = candidate.relevance * (meaning + words) - candidate.learned
    if weighted > 0:
        weighted /= 1 - lost
    by_meaning = (weighted - words * candidate.words) / meaning if meaning else 0.0
    return {
        "meaning": by_meaning,
        "words": candidate.words,
        "learned": candidate.learned,
        "lost": lost,
        "success": candidate.success or 0.0,
        "frequency": candidate.frequency or 0.0,
    }


def by_order(decision: SearchDecision) -> bool:
    """Whether the order alone made the decision: one that the same words led to before did not."""
    if not decision.candidates or not decision.weights:
        return False
    case = TuningCase("", "", decision.at, RightTool(decision, decision.chosen))
    return bool(SearchTable.of([case]).right_first(decision.weights)[0])


LabelSource = Callable[[datetime], Awaitable[list[DecisionLabel]]]
"""The labelled decisions up to a moment, oldest first."""

_WHOLE = 1.7  # meaning and words together, as shipped: only their ratio is tuned
_ASKED = 0.7  # the share of meaning that people ask for
VOUCHED = frozenset({"labelled", "confirmed", "chosen"})


class _OrderKnob(TrustedCases):
    """What both have in common: labelled decisions with a right tool among the candidates."""

    policy = SearchPolicy.name

    def __init__(self, policies: Policies, labels: LabelSource) -> None:
        self._policies = policies
        self._labels = labels
        self._tables: dict[int, tuple[Sequence[TuningCase], SearchTable]] = {}

    async def cases(self, until: datetime) -> list[TuningCase]:
        return order_cases(await self._labels(until))

    def _right_first(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        known = self._tables.get(id(cases))
        if known is None or known[0] is not cases:
            known = self._tables[id(cases)] = (cases, SearchTable.of(cases))
        return known[1].right_first({**self._in_force(), **values})

    def _in_force(self) -> dict[str, float]:
        policy = self._policies.get(SearchPolicy)
        return {
            "meaning_weight": policy.meaning_weight,
            "words_weight": policy.words_weight,
            "relevance_share": policy.relevance_share if policy.rerank else 1.0,
            "success_share": policy.success_share if policy.rerank else 0.0,
            "frequency_share": policy.frequency_share if policy.rerank else 0.0,
        }


class FusionKnob(_OrderKnob):
    """What meaning counts against words."""

    name = "fusion"
    about = "what meaning counts against words when tools are ordered"

    def present(self) -> dict[str, float]:
        policy = self._policies.get(SearchPolicy)
        return {"meaning_weight": policy.meaning_weight, "words_weight": policy.words_weight}

    def grid(self) -> list[dict[str, float]]:
        shares = [_ASKED, *(step / 20 for step in range(1, 20) if step / 20 != _ASKED), 1.0]
        return [of_share(share) for share in shares]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"meaning_weight": (0.0, _WHOLE), "words_weight": (0.0, _WHOLE)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        whole = values["meaning_weight"] + values["words_weight"]
        return of_share(values["meaning_weight"] / whole) if whole > 0 else None

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        return self._right_first(values, cases)


class RerankingKnob(_OrderKnob):
    """What success and frequency of use count against relevance."""

    name = "reranking"
    about = "what success and frequency of use count against relevance"

    def present(self) -> dict[str, float]:
        policy = self._policies.get(SearchPolicy)
        return {
            "relevance_share": policy.relevance_share,
            "success_share": policy.success_share,
            "frequency_share": policy.frequency_share,
        }

    def grid(self) -> list[dict[str, float]]:
        pairs = [(s / 10, f / 10) for s in range(5) for f in range(4) if s + f < 6]
        return [_shares(success, frequency) for success, frequency in pairs]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {
            "relevance_share": (0.0, 1.0),
            "success_share": (0.0, 0.6),
            "frequency_share": (0.0, 0.4),
        }

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        success, frequency = values["success_share"], values["frequency_share"]
        return _shares(success, frequency) if success + frequency < 0.8 else None

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        return self._right_first(values, cases)


def of_share(meaning: float) -> dict[str, float]:
    """The weights with so much meaning; 1.0 and 0.7, as shipped, are a share of 0.588."""
    return {
        "meaning_weight": round(meaning * _WHOLE, 4),
        "words_weight": round((1 - meaning) * _WHOLE, 4),
    }


def _shares(success: float, frequency: float) -> dict[str, float]:
    return {
        "relevance_share": round(1 - success - frequency, 4),
        "success_share": round(success, 4),
        "frequency_share": round(frequency, 4),
    }


def order_cases(labels: Sequence[DecisionLabel]) -> list[TuningCase]:
    """Decisions whose right tool is known and was among the candidates."""
    found: list[TuningCase] = []
    for label in labels:
        decision = label.decision
        names = {candidate.name for candidate in decision.candidates}
        if label.right is None or label.tool not in names or not by_order(decision):
            continue
        found.append(label_case(label, RightTool(decision, label.tool)))
    return found


def label_case(label: DecisionLabel, data: object) -> TuningCase:
    """A case of a labelled decision; what it weighs is what is known beyond tossing a coin."""
    decision: SearchDecision = label.decision
    vouched = bool(label.right) and any(one.kind in VOUCHED for one in label.signals)
    return TuningCase(
        id=decision.id,
        group=decision.session_id or decision.run_id,
        at=decision.at,
        data=data,
        weight=2 * label.certainty - 1,
        user=decision.user,
        vouched=vouched,
    )
