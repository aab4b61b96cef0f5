"""Search decisions replayed with other numbers, from what was logged: no model, no index."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.decisions import SearchDecision, ToolCandidate
from hammerstone.learn.tuning.knob import KnobValues, Scores, TuningCase

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
