"""Recorded votes: which answers by solutions teach, with what right value, and how much."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.core.json_types import Json
from hammerstone.learn.policies import LabelPolicy
from hammerstone.learn.tuning.answer_knob import VoteLog
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy

K = FeedbackKind
NOW = datetime(2026, 3, 1, tzinfo=UTC)
POLICIES = Policies(cast(Any, None), (LabelPolicy, FeedbackPolicy))


def solution(value: Json, run: str = "r1", **data: Json) -> Event:
    return Event(EventKind.SOLUTION, run, "s", 0, NOW, "", {"value": value, **data})


def heard(kind: FeedbackKind, run: str = "r1", **more: Any) -> Feedback:
    given = {"result": 10, "tool": "", **more}
    worth = FeedbackPolicy().worth(kind)
    return Feedback(kind, run, "s", "ada", NOW, reliability=worth, **given)


class Log:
    def __init__(self, events: list[Event], said: list[Feedback]) -> None:
        self.events = self.feedback = self
        self._events, self._said = events, said
        self.asked: list[Any] = []

    async def of_kind(self, *about: Any) -> list[Event]:
        self.asked.append(about)
        return self._events

    async def of_runs(self, ids: list[str]) -> list[Feedback]:
        self.asked.append(ids)
        return [one for one in self._said if one.run_id in ids]


async def cases(events: list[Event], *said: Feedback) -> list[Any]:
    return await VoteLog(cast(Any, Log(events, [*said])), POLICIES, 7).cases(NOW)


EVENTS = [solution(10), solution(None, error="no"), solution(11), solution(10, again=True)]


async def test_what_was_confirmed_is_right() -> None:
    (case,) = await cases(EVENTS, heard(K.USED), heard(K.CONFIRMED))
    assert (case.id, case.group, case.user, case.at) == ("r1", "s", "ada", NOW)
    assert case.data.values == (10, None, 11)  # what was only run again is no vote
    assert case.data.failed == (False, True, False)
    assert case.data.right == 10
    assert 0 < case.weight <= 1


async def test_what_was_stated_is_right_the_last_word_of_all() -> None:
    said = [heard(K.CORRECTED, value=12), heard(K.CORRECTED, value=11)]
    (case,) = await cases(EVENTS, heard(K.USED), *said)
    assert case.data.right == 11


@pytest.mark.parametrize(
    "said",
    [
        [],
        [heard(K.CONFIRMED)],  # nothing was answered
        [heard(K.USED)],  # nobody knows
        [heard(K.USED), heard(K.REFUSED)],  # wrong, and nobody said what is right
        [heard(K.USED, tool="double"), heard(K.CONFIRMED, tool="other")],  # about something else
    ],
)
async def test_what_is_not_known_teaches_nothing(said: list[Feedback]) -> None:
    assert await cases(EVENTS, *said) == []


async def test_words_about_the_tool_that_a_solution_became_are_about_the_answer() -> None:
    (case,) = await cases(EVENTS, heard(K.USED, tool="double"), heard(K.CONFIRMED, tool="double"))
    assert case.data.right == 10


async def test_runs_are_told_apart_and_read_once() -> None:
    log = Log(
        [solution(1, "r1"), solution(2, "r2"), solution(3, "r1")],
        [heard(K.USED, "r2"), heard(K.CONFIRMED, "r2"), heard(K.USED, "r3")],
    )
    found = await VoteLog(cast(Any, log), POLICIES, 7).cases(NOW)
    assert [(case.id, case.data.values) for case in found] == [("r2", (2,))]
    assert log.asked == [(EventKind.SOLUTION, NOW, 7), ["r1", "r2"]]


async def test_a_surer_word_weighs_more() -> None:
    (sure,) = await cases(EVENTS, heard(K.USED), heard(K.CONFIRMED))
    (unsure,) = await cases(EVENTS, heard(K.USED), heard(K.UNOPPOSED)) or [None]
    assert unsure is None or unsure.weight < sure.weight
