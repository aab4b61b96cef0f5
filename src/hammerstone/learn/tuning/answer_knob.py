"""How many solutions are written for an answer: replayed from the recorded votes where it is known
which one is right."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.decisions import LabelQuestion, SearchDecision
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.core.json_types import Json
from hammerstone.judging.equality import decoded, grouped, same_answer
from hammerstone.learn.labels.labeller import Labeller
from hammerstone.learn.policies import LabelPolicy, TuningPolicy
from hammerstone.learn.tuning.knob import KnobValues, Scores, TrustedCases, TuningCase
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Database

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


class VoteLog:
    def __init__(self, db: Database, policies: Policies, most: int) -> None:
        self._db = db
        self._policies = policies
        self._most = most

    async def cases(self, until: datetime) -> list[TuningCase]:
        """Answers by solutions whose right value is known, oldest first."""
        events = await self._db.events.of_kind(EventKind.SOLUTION, until, self._most)
        by_run: dict[str, list[Event]] = {}
        for event in events:
            by_run.setdefault(event.run_id, []).append(event)
        heard: dict[str, list[Feedback]] = {}
        for one in await self._db.feedback.of_runs(list(by_run)):
            heard.setdefault(one.run_id, []).append(one)
        labeller = Labeller(self._policies.get(LabelPolicy), self._policies.get(FeedbackPolicy))
        found: list[TuningCase] = []
        for run, solutions in by_run.items():
            case = _case(labeller, run, solutions, heard.get(run, []))
            if case is not None:
                found.append(case)
        return found


def _case(
    labeller: Labeller, run: str, solutions: Sequence[Event], heard: Sequence[Feedback]
) -> TuningCase | None:
    used = next((one for one in heard if one.kind is FeedbackKind.USED), None)
    if used is None:
        return None
    asked = SearchDecision(run, run, used.session_id, used.user, used.at, "", used.tool, "low", 0.0)
    about = [one for one in heard if one.tool == used.tool]
    plain = [_about_answer(one) for one in about]
    (label,) = labeller.labels([asked], {run: plain}, what=LabelQuestion.ANSWER)
    stated = [one for one in about if one.kind is FeedbackKind.CORRECTED]
    if label.right is None or (not label.right and not stated):
        return None
    first = [one for one in solutions if not one.data.get("again")]
    vote = RecordedVote(
        values=tuple(one.data.get("value") for one in first),
        failed=tuple(bool(one.data.get("error")) for one in first),
        right=used.result if label.right else stated[-1].value,
    )
    weight = 2 * label.certainty - 1
    return TuningCase(run, used.session_id, used.at, vote, weight, used.user)


def _about_answer(event: Feedback) -> Feedback:
    """An event about the tool that a solution became, as one about the answer itself."""
    return replace(event, tool="")
