"""The numbers that order tools: meaning against words, relevance against use."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from hammerstone.core.decisions import SearchDecision
from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.learn.tuning.knob import KnobValues, Scores, TrustedCases, TuningCase
from hammerstone.learn.tuning.search_replay import RightTool, SearchTable, by_order
from hammerstone.library.policies import Policies, SearchPolicy

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
