"""How far people's words are believed: checked by what was known before they were said."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MOST_ODDS = 20.0  # nothing is known for certain: a share of all or nothing would divide by zero
_GRID = [(step + 0.5) / 100 for step in range(100)]  # chances that a person's word is right


@dataclass(frozen=True, slots=True)
class CheckedWord:
    """What somebody said about an answer, and the log odds of what was known about it before."""

    user: str
    right: bool
    known: float


class WordChecks:
    """How likely it is that something speaks for or against right answers, and wrong ones.

    `known` are the log odds of every answer. Who corrects what is wrong is contradicted by those
    solutions that agree with a wrong answer, and is nevertheless right: so it counts how often a
    person is contradicted beside how often anybody would be who says anything.
    """

    def __init__(self, known: Iterable[float]) -> None:
        bounded = (max(-_MOST_ODDS, min(_MOST_ODDS, odds)) for odds in known)
        chances = [1 / (1 + math.exp(-odds)) for odds in bounded]
        whole = max(1, len(chances))
        right = sum(chances) / whole
        sides = Counter(_side(chance - 0.5) for chance in chances)
        self._likely: dict[tuple[int, bool], float] = {}
        for side, count in sides.items():
            of_right = sum(chance for chance in chances if _side(chance - 0.5) == side)
            self._likely[side, True] = of_right / whole / right
            self._likely[side, False] = (count - of_right) / whole / (1 - right)

    def credibility(self, words: Sequence[CheckedWord], usual: float, weight: float) -> float:
        """The chance that a person's words are right, after all of them. Most people are right as
        `usual`, so many times as many (`weight`) as those who may be anything."""
        beliefs = [(usual, weight), *((chance, 1 / len(_GRID)) for chance in _GRID)]
        fits = [sum(self._fits(word, chance) for word in words) for chance, _ in beliefs]
        largest = max(fits)
        weights = [
            belief * math.exp(fit - largest) for (_, belief), fit in zip(beliefs, fits, strict=True)
        ]
        mean = sum(chance * one for (chance, _), one in zip(beliefs, weights, strict=True))
        return mean / sum(weights)

    def _fits(self, word: CheckedWord, chance: float) -> float:
        """How well a word fits somebody who is right so often, as a logarithm."""
        side = _side(word.known)
        if_right = self._likely.get((side, word.right), 1.0)
        if_wrong = self._likely.get((side, not word.right), 1.0)
        return math.log(chance * if_right + (1 - chance) * if_wrong)


def _side(odds: float) -> int:
    return (odds > 0) - (odds < 0)
