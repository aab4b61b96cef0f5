"""What a person said about the same words before, and what a run leaves to be judged."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Answer, AnswerStatus, Sureness
from hammerstone.core.feedback import Feedback, FeedbackKind, UseVerdict
from hammerstone.core.json_types import Json
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.run.answer.earlier_feedback import (
    TOLD,
    EarlierFeedback,
    RunTrail,
    by_words,
    not_refused,
    told_answer,
    words_key,
)
from hammerstone.run.context import EarlierStatement, SuccessfulCall, ToolUse
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import NOW, make_run, make_tool

K = FeedbackKind


def said(kind: FeedbackKind, words: str = "k", **more: Any) -> Feedback:
    return Feedback(kind, "run0", "s1", "ada", NOW, "double", words=words, **more)


class Store:
    """Records with a store of what was said; `private` is text that is not kept."""

    def __init__(self, *events: Feedback, private: str = "") -> None:
        self.db = self.feedback = self
        self.clock = HandClock()
        self._events, self._private = [*events], private
        self.reads = 0

    async def said(self, user: str) -> list[Feedback]:
        self.reads += 1
        return [event for event in self._events if event.user == user]

    def storable(self, text: Any) -> bool:
        return not self._private or self._private not in str(text)

    def clean_text(self, text: str) -> str:
        return text.replace("bob", "[name]")

    def scrub(self, value: Json) -> Json:
        return "[name]" if value == "bob" else value


def test_the_last_word_about_each_request_counts() -> None:
    found = by_words(
        [
            said(K.REFUSED, "a", result=1),
            said(K.CORRECTED, "a", result=2, value=3),
            said(K.CORRECTED, "b", result=1, value=2),
            said(K.CONFIRMED, "b", result=9),  # something else is right after all
            said(K.CORRECTED, "c", result=1, value=2),
            said(K.CONFIRMED, "c", result=2),  # the stated value itself
            said(K.REFUSED, "", result=1),
        ]
    )
    date = f"{NOW:%Y-%m-%d}"
    assert found == {
        "a": EarlierStatement(True, 3, (1, 2), frozenset({"double"}), date),
        "c": EarlierStatement(True, 2, (1,), frozenset({"double"}), date),
    }


async def test_what_was_said_is_read_once_until_somebody_speaks() -> None:
    run = make_run("double 5")
    key = words_key(run.request, cast(Any, Store()))
    store = Store(said(K.CORRECTED, key, result=10, value=11))
    earlier = EarlierFeedback(cast(Any, store))
    assert (await earlier.about(run)).value == 11
    assert (await earlier.about(make_run("double 5"))).tools == {"double"}
    assert store.reads == 1 and run.ledger.words == key
    other = make_run("double 6")
    assert await earlier.about(other) == EarlierStatement()
    later = make_run("double 5")
    later.seen = replace(later.seen, feedback=later.seen.feedback + 1)
    await earlier.about(later)
    assert store.reads == 2


async def test_nothing_is_looked_up_where_nobody_ever_spoke_or_words_are_private() -> None:
    store = Store(private="5")
    silent = make_run("double five")
    silent.seen = replace(silent.seen, feedback=0)
    assert await EarlierFeedback(cast(Any, store)).about(silent) == EarlierStatement()
    assert await EarlierFeedback(cast(Any, store)).about(make_run("double 5")) == EarlierStatement()
    assert store.reads == 0


async def test_words_that_lean_on_others_keep_the_tool_in_play() -> None:
    run = make_run("double that result")
    key = words_key(run.request, cast(Any, Store()))
    store = Store(said(K.REFUSED, key, result=10))
    found = await EarlierFeedback(cast(Any, store)).about(run)
    assert found.refused == (10,) and found.tools == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (make_run("double 5"), make_run("double 5"), True),
        (make_run("double 5"), make_run("double  5"), False),
        (make_run("Create a tool that doubles"), make_run("double 5"), False),
    ],
)
def test_words_are_known_to_the_letter(one: Any, other: Any, same: bool) -> None:
    store = cast(Any, Store())
    assert (words_key(one.request, store) == words_key(other.request, store)) is same
    assert words_key(make_run("Create a tool that doubles").request, store) == ""
    assert words_key(make_run("double 5", given_tool="double").request, store) == ""


def test_the_stated_value_is_given_back_as_such() -> None:
    answer = told_answer(make_run(), EarlierStatement(True, 11, at="2026-03-01"))
    assert (answer.text, answer.result, answer.confidence) == ("11", 11, 1.0)
    assert (answer.sureness, answer.strategy) == (Sureness.SURE, TOLD)
    assert answer.why == "you said so on 2026-03-01" and answer.run_id == "run1"
    assert answer.checks["confirmed"] == ["you stated this value"]


ANSWER = Answer(text="10", result=10, strategy="single")


@pytest.mark.parametrize("refused", [(), (9,), ("ten",)])
def test_an_answer_that_nobody_refused_stays(refused: tuple[Json, ...]) -> None:
    run = make_run()
    run.ledger.said = EarlierStatement(refused=refused)
    assert not_refused(run, ANSWER) is ANSWER
    nothing = replace(ANSWER, result=None)
    run.ledger.said = EarlierStatement(refused=(None,))
    assert not_refused(run, nothing) is nothing


def test_a_refused_value_is_not_given_again() -> None:
    run = make_run()
    run.ledger.said = EarlierStatement(refused=(9, 10.0))
    run.ledger.uses = [ToolUse("double 5", "double")]
    run.ledger.made = [SuccessfulCall("double", "v1", {}, 10)]
    answer = not_refused(run, ANSWER)
    assert answer.status is AnswerStatus.FAILED and answer.strategy == "single"
    assert answer.text.startswith("I get 10 again, and you said that this is wrong.")
    assert run.ledger.uses == [] and run.ledger.made == []
    run.ledger.said = EarlierStatement(True, 11, (10,), at="2026-03-01")
    assert not_refused(run, ANSWER).result == 11


class Worth:
    def get(self, kind: Any) -> FeedbackPolicy:
        return FeedbackPolicy()


def trail() -> RunTrail:
    return RunTrail(cast(Any, Store()), cast(Any, Worth()))


@pytest.mark.parametrize(
    ("use", "kinds"),
    [
        (ToolUse("x", "double"), [K.USED]),
        (ToolUse("x", "double", agrees=True), [K.USED, K.AGREED]),
        (ToolUse("x", "double", picked=True), [K.CHOSEN]),
        (ToolUse("x", "double", picked=False), [K.PASSED_OVER]),
    ],
)
def test_a_use_leaves_what_speaks_for_it(use: ToolUse, kinds: list[FeedbackKind]) -> None:
    run = make_run()
    run.ledger.uses, run.ledger.words = [use], "key"
    events = trail().events(run, replace(ANSWER, result="bob"))
    assert [event.kind for event in events] == kinds
    for event in events:
        assert (event.run_id, event.session_id, event.user) == ("run1", "s1", "ada")
        assert (event.tool, event.words, event.result) == ("double", "key", "[name]")
        assert event.reliability == FeedbackPolicy().worth(event.kind)


def test_a_run_without_steps_leaves_its_calls_or_its_answer() -> None:
    run = make_run("double 5 for bob")
    run.ledger.made = [SuccessfulCall("double", "v1", {}, 10)]
    (event,) = trail().events(run, replace(ANSWER, tool="double"))
    assert (event.tool, event.version_id) == ("double", "v1")
    assert event.request == "double 5 for [name]"
    (preferred,) = trail().events(run, ANSWER)  # solutions were preferred to what it gave
    assert (preferred.kind, preferred.tool) == (K.USED, "")
    run.ledger.made = []
    (alone,) = trail().events(run, ANSWER)
    assert (alone.kind, alone.tool) == (K.USED, "")
    assert trail().events(run, replace(ANSWER, result=None)) == []


def test_a_tool_that_solutions_outvoted_is_named_beside_the_answer() -> None:
    run = make_run()
    run.ledger.outvoted = [ToolUse("x", "gap", "v1")]
    events = trail().events(run, ANSWER)
    assert [(event.kind, event.tool) for event in events] == [(K.USED, ""), (K.OUTVOTED, "gap")]
    assert events[1].reliability == FeedbackPolicy().outvoted
    assert FeedbackPolicy().judge(events[1:]) is UseVerdict.WRONG


def test_a_stopped_run_was_abandoned_and_a_failed_call_is_told() -> None:
    run = make_run()
    run.ledger.uses = [ToolUse("x", "double")]
    assert [event.kind for event in trail().events(run, None)] == [K.ABANDONED]
    run.ledger.used = [(make_tool("halve"), False), (make_tool("double"), True)]
    events = trail().events(run, ANSWER)
    assert [(event.kind, event.tool) for event in events] == [
        (K.USED, "double"),
        (K.FAILED, "halve"),
    ]


def test_a_tool_called_by_its_name_was_not_found_by_words() -> None:
    run = make_run("run double", given_tool="double")
    run.ledger.uses = [ToolUse("x", "double")]
    assert [event.request for event in trail().events(run, ANSWER)] == [""]
