"""What follows from feedback: a verdict on each use, what search learns, how the tool stands."""

from dataclasses import replace
from typing import Any

import pytest

from hammerstone.core.feedback import Feedback, FeedbackKind, JudgedUse, UseVerdict
from hammerstone.core.tools import Tool
from hammerstone.learn.feedback.reader import FeedbackReader
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from tests.unit.run.made_runs import NOW, make_tool, with_stub

K = FeedbackKind


def event(kind: FeedbackKind, tool: str = "double", run: str = "run1", **more: Any) -> Feedback:
    given: dict[str, Any] = {"version_id": f"v-{tool}-1" if tool else "", "request": "double 5"}
    worth = FeedbackPolicy().worth(kind)
    return Feedback(kind, run, "s1", "ada", NOW, tool, reliability=worth, **{**given, **more})


class NoCalls:
    async def of_run(self, run_id: str) -> list[Any]:
        return []


class Surroundings:
    """Every service of a reader; notes what it was told to do."""

    def __init__(self, *events: Feedback, enabled: bool = True, known: bool = True) -> None:
        self.feedback, self.executions = self, NoCalls()
        self._events, self._known = [*events], known
        self._policy = FeedbackPolicy(enabled=enabled)
        self._verdicts: dict[tuple[str, str], UseVerdict] = {}
        self.judged: list[JudgedUse] = []
        self.search: list[tuple[str, str, str, str, str]] = []
        self.stood: list[tuple[str, bool, int]] = []

    def get(self, kind: Any) -> FeedbackPolicy:
        return self._policy

    async def of_run(self, run_id: str) -> list[Any]:
        return [each for each in self._events if each.run_id == run_id]

    async def recent(self, user: str, most: int) -> list[Feedback]:
        assert (user, most) == ("ada", 200)
        return [each for each in self._events if each.user == user]

    async def append(self, found: list[Feedback]) -> None:
        self._events += found

    async def judge(self, use: JudgedUse) -> UseVerdict | None:
        """The verdict before, as the store tells it; None where nothing has changed."""
        key = (use.run_id, use.tool)
        before = self._verdicts.get(key, UseVerdict.NEUTRAL)
        first = key not in self._verdicts
        self._verdicts[key] = use.verdict
        if before is use.verdict and not first:
            return None
        self.judged.append(use)
        return before

    async def find(self, name: str) -> Tool | None:
        return replace(make_tool(name), uses=7) if self._known else None

    async def learn(self, request: str, tool: str, outcome: Any, user: str) -> None:
        self.search.append(("learn", request, tool, str(outcome), user))

    async def unlearn(self, request: str, tool: str, outcomes: Any, user: str) -> None:
        self.search += [("unlearn", request, tool, str(outcome), user) for outcome in outcomes]

    async def after_use(self, tool: Tool, *, ok: bool) -> None:
        self.stood.append((tool.name, ok, tool.uses))

    @property
    def learned(self) -> list[str]:
        return [outcome for what, _, _, outcome, _ in self.search if what == "learn"]

    @property
    def unlearned(self) -> set[str]:
        return {outcome for what, _, _, outcome, _ in self.search if what == "unlearn"}


def reader(around: Surroundings) -> FeedbackReader:
    return with_stub(FeedbackReader, around)


@pytest.mark.parametrize(
    ("kinds", "verdict", "lesson"),
    [
        ([K.USED], UseVerdict.NEUTRAL, None),
        ([K.USED, K.AGREED], UseVerdict.GOOD, "answered"),
        ([K.USED, K.CONFIRMED], UseVerdict.GOOD, "chosen"),
        ([K.CHOSEN], UseVerdict.GOOD, "chosen"),
        ([K.USED, K.REFUSED], UseVerdict.WRONG, "wrong"),
        ([K.PASSED_OVER], UseVerdict.WRONG, "wrong"),
        ([K.USED, K.CORRECTED], UseVerdict.WRONG, None),  # the code is wrong, not the pick
        ([K.USED, K.AGREED, K.REFUSED], UseVerdict.WRONG, "wrong"),
        ([K.USED, K.CHOSEN, K.REFUSED], UseVerdict.NEUTRAL, None),  # both are worth the same
    ],
)
async def test_search_and_standing_follow_the_verdict(
    kinds: list[FeedbackKind], verdict: UseVerdict, lesson: str | None
) -> None:
    around = Surroundings(*map(event, kinds))
    await reader(around).judge("run1")
    (use,) = around.judged
    assert (use.verdict, use.tool, use.version_id) == (verdict, "double", "v-double-1")
    assert (use.run_id, use.session_id, use.user) == ("run1", "s1", "ada")
    assert around.learned == ([lesson] if lesson else [])
    assert around.unlearned == {"answered", "chosen", "wrong"} - {lesson}
    assert {(words, tool, user) for _, words, tool, _, user in around.search} == {
        ("double 5", "double", "ada")
    }
    standing = {UseVerdict.GOOD: [True], UseVerdict.WRONG: [False]}.get(verdict, [])
    assert around.stood == [("double", ok, 6) for ok in standing]


async def test_what_is_judged_as_before_teaches_nothing_again() -> None:
    around = Surroundings(event(K.USED), event(K.CONFIRMED))
    await reader(around).judge("run1")
    told = len(around.search), len(around.stood)
    await reader(around).judge("run1")
    assert (len(around.search), len(around.stood)) == told and len(around.judged) == 1


async def test_what_is_said_about_the_answer_counts_for_each_tool() -> None:
    about = event(K.CONFIRMED, tool="", request="")
    around = Surroundings(event(K.USED), event(K.USED, "halve"), about)
    await reader(around).judge("run1")
    assert [(use.tool, use.verdict) for use in around.judged] == [
        ("double", UseVerdict.GOOD),
        ("halve", UseVerdict.GOOD),
    ]


async def test_without_words_nothing_is_learned_and_the_tool_still_stands_by_it() -> None:
    around = Surroundings(event(K.USED, request=""), event(K.CONFIRMED, request=""))
    await reader(around).judge("run1")
    assert around.search == [] and around.stood == [("double", True, 6)]


async def test_a_use_of_an_earlier_version_says_nothing_about_this_one() -> None:
    around = Surroundings(event(K.USED, version_id="old"), event(K.CONFIRMED, version_id=""))
    await reader(around).judge("run1")
    assert around.judged[0].version_id == "old" and around.stood == []
    unknown = Surroundings(event(K.CHOSEN, version_id=""))
    await reader(unknown).judge("run1")
    assert unknown.judged[0].version_id == "v-double-1"  # the one that is there


async def test_a_tool_that_is_gone_is_judged_and_not_taught() -> None:
    around = Surroundings(
        event(K.USED, version_id=""), event(K.CONFIRMED, version_id=""), known=False
    )
    await reader(around).judge("run1")
    assert around.judged[0].version_id == ""
    assert around.learned == [] and around.stood == []


async def test_a_failed_call_counts_at_once() -> None:
    around = Surroundings(event(K.FAILED), event(K.FAILED), event(K.USED, "halve"))
    await reader(around).heard("ada", "run1")
    assert around.stood == [("double", False, 6)]


async def test_the_next_request_speaks_for_the_one_before() -> None:
    before = event(K.USED, run="run0", request="double 4", result=8)
    now = event(K.USED, "halve", request="the half of ninety", result=45)
    around = Surroundings(now, before)
    await reader(around).heard("ada", "run1")
    assert {(use.run_id, use.tool, use.verdict) for use in around.judged} == {
        ("run1", "halve", UseVerdict.NEUTRAL),
        ("run0", "double", UseVerdict.GOOD),
    }
    assert around.stood == [("double", True, 6)]


async def test_switched_off_nothing_follows() -> None:
    around = Surroundings(event(K.FAILED), event(K.CONFIRMED), enabled=False)
    await reader(around).heard("ada", "run1")
    await reader(around).judge("run1")
    assert (around.judged, around.search, around.stood) == ([], [], [])
