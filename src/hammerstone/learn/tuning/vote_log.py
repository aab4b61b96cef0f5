"""Recorded votes: what the solutions of answers came to, where it is known which one is right."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.decisions import LabelQuestion, SearchDecision
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.learn.labels import Labeller, LabelPolicy
from hammerstone.learn.tuning.answer_knob import RecordedVote
from hammerstone.learn.tuning.knob import TuningCase
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Database


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
