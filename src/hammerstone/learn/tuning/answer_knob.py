"""How many solutions are written for an answer: replayed from the recorded votes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from hammerstone.core.json_types import Json
from hammerstone.judging.equality import decoded, grouped, same_answer
from hammerstone.learn.tuning.knob import KnobValues, Scores, TrustedCases, TuningCase
from hammerstone.learn.tuning.tuning_policy import TuningPolicy
from hammerstone.library.policies import Policies

POLICY = "answer"


@dataclass(frozen=True, slots=True)
class RecordedVote:
    """The values of an answer's solutions in the order they came, and which one is right.

    A solution that failed has no value.
    """

    values: tuple[Json, ...]
    failed: tuple[bool, ...]
    right: Json

    def right_after(self, count: int) -> bool:
        """Whether the first so many solutions vote for the right value."""
        pairs = list(zip(self.values, self.failed, strict=True))[:count]
        given = [decoded(value) for value, failed in pairs if not failed]
        if not given:
            return False
        leading = max(grouped(given), key=len)
        return same_answer(given[leading[0]], decoded(self.right))


VoteSource = Callable[[datetime], Awaitable[list[TuningCase]]]


class SolutionKnob(TrustedCases):
    """The most solutions that an answer may take."""

    name = "solutions"
    policy = POLICY
    about = "how many solutions an answer may take"

    def __init__(self, policies: Policies, votes: VoteSource) -> None:
        self._policies = policies
        self._votes = votes

    def present(self) -> dict[str, float]:
        kind: Any = next(kind for kind in self._policies.kinds if kind.name == POLICY)
        return {"max_solutions": self._policies.get(kind).max_solutions}

    def grid(self) -> list[dict[str, float]]:
        return [{"max_solutions": most} for most in (8, 7, 6, 5, 4, 3, 2, 1)]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"max_solutions": (1, 8)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        return {"max_solutions": round(values["max_solutions"])}

    async def cases(self, until: datetime) -> list[TuningCase]:
        return await self._votes(until)

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        most = int(values["max_solutions"])
        cost = self._policies.get(TuningPolicy).solution_cost
        votes: list[RecordedVote] = [case.data for case in cases]
        return np.array(
            [vote.right_after(most) - cost * min(most, len(vote.values)) for vote in votes], float
        )
