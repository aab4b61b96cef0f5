"""Signals become labels: each with what speaks for it, and how far it is believed."""

from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.decisions import LabelQuestion, PersonLabel, SearchDecision, ToolCandidate
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.learn.labels.labeller import DecisionLabel, Labeller, queue, usefulness
from hammerstone.learn.policies import LabelPolicy
from hammerstone.library.policies.feedback_policy import FeedbackPolicy

NOW = datetime(2026, 5, 1, tzinfo=UTC)
POLICY, FEEDBACK = LabelPolicy(), FeedbackPolicy()


def decision(
    number: int = 0, *, band: str = "high", probability: float = 0.9, user: str = "ada"
) -> SearchDecision:
    return SearchDecision(
        id=f"r{number}-0",
        run_id=f"r{number}",
        session_id=f"s{number}",
        user=user,
        at=NOW + timedelta(minutes=number),
        request=f"request {number}",
        chosen="median",
        band=band,
        probability=probability,
        candidates=(ToolCandidate("median", 0.9, 0.8, 0.5), ToolCandidate("mean", 0.7, 0.6, 0.4)),
        weights={"high": 0.8, "middle": 0.5},
    )


def heard(one: SearchDecision, kind: FeedbackKind, tool: str = "median") -> Feedback:
    worth = FEEDBACK.worth(kind)
    return Feedback(kind, one.run_id, one.session_id, one.user, NOW, tool, reliability=worth)


def label_of(
    one: SearchDecision, *events: Feedback, said: tuple[PersonLabel, ...] = ()
) -> DecisionLabel:
    (label,) = Labeller(POLICY, FEEDBACK).labels([one], {one.run_id: events}, said)
    return label


def test_without_a_signal_nothing_is_known() -> None:
    label = label_of(decision())
    assert (label.right, label.tool, label.signals) == (None, "", ())


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        (FeedbackKind.CONFIRMED, True),
        (FeedbackKind.AGREED, True),
        (FeedbackKind.BUILT_ON, True),
        (FeedbackKind.REPEATED, True),
        (FeedbackKind.UNOPPOSED, True),
        (FeedbackKind.REFUSED, False),
        (FeedbackKind.ASKED_AGAIN, False),
        (FeedbackKind.WRONG_TOOL, False),
        (FeedbackKind.FAILED, False),
        (FeedbackKind.ABANDONED, False),
    ],
)
def test_a_signal_is_a_label_with_its_stated_chance(kind: FeedbackKind, right: bool) -> None:
    label = label_of(decision(), heard(decision(), kind))
    assert label.right is right
    assert label.certainty == pytest.approx(POLICY.chance(kind))


def test_a_stated_value_speaks_against_the_answer_and_not_against_the_pick() -> None:
    one = decision()
    event = heard(one, FeedbackKind.CORRECTED)
    assert label_of(one, event).right is None
    labeller = Labeller(POLICY, FEEDBACK)
    (label,) = labeller.labels([one], {one.run_id: [event]}, what=LabelQuestion.ANSWER)
    assert label.right is False


def test_signals_of_one_side_add_less_than_independent_ones_would() -> None:
    one = decision()
    both = label_of(one, heard(one, FeedbackKind.AGREED), heard(one, FeedbackKind.UNOPPOSED))
    assert POLICY.agreed < both.certainty < 0.84  # 0.72 and 0.67 as if independent


def test_contradicting_signals_leave_it_open_and_come_first_in_the_queue() -> None:
    one = decision(0, probability=0.99)
    events = [heard(one, FeedbackKind.REPEATED), heard(one, FeedbackKind.UNOPPOSED)]
    mixed = label_of(one, *events, heard(one, FeedbackKind.FAILED), heard(one, FeedbackKind.AGREED))
    assert mixed.contradicted
    even = label_of(one, heard(one, FeedbackKind.CONFIRMED), heard(one, FeedbackKind.ABANDONED))
    assert even.contradicted
    plain = label_of(decision(1, probability=0.99))
    assert queue([plain, even], 5)[0] is even


def test_the_last_word_of_a_person_counts_and_a_label_outweighs_silence() -> None:
    one = decision()
    said = PersonLabel(one.id, LabelQuestion.TOOL, "ada", False, NOW, "mean")
    label = label_of(one, heard(one, FeedbackKind.UNOPPOSED), said=(said,))
    assert (label.right, label.tool) == (False, "mean")
    twice = label_of(one, heard(one, FeedbackKind.REFUSED), heard(one, FeedbackKind.CONFIRMED))
    assert twice.right is True
    assert len(twice.signals) == 1


def test_a_tool_that_a_person_picked_instead_is_the_right_one() -> None:
    one = decision()
    label = label_of(
        one, heard(one, FeedbackKind.WRONG_TOOL), heard(one, FeedbackKind.CHOSEN, "mean")
    )
    assert (label.right, label.tool) == (False, "mean")


def test_what_was_not_used_is_not_judged_by_what_followed() -> None:
    one = decision(band="low")
    assert label_of(one, heard(one, FeedbackKind.CONFIRMED)).right is None


@pytest.mark.parametrize("always", [FeedbackKind.REFUSED, FeedbackKind.CONFIRMED])
def test_who_says_the_same_about_every_answer_is_not_believed(always: FeedbackKind) -> None:
    decisions = [decision(number, user="eve") for number in range(12)]
    events = {one.run_id: [heard(one, always)] for one in decisions}
    labels = Labeller(POLICY, FEEDBACK).labels(decisions, events)
    assert {label.right for label in labels} == {None}
    assert Labeller(POLICY, FEEDBACK).trust(decisions, events)["eve"] == 0.5


def test_who_only_speaks_up_about_mistakes_is_believed() -> None:
    decisions = [decision(number) for number in range(40)]
    events = {one.run_id: [heard(one, FeedbackKind.REFUSED)] for one in decisions[:12]}
    labels = Labeller(POLICY, FEEDBACK).labels(decisions, events)
    assert [label.right for label in labels[:12]] == [False] * 12


def test_who_says_the_opposite_of_what_happens_is_believed_less_and_less() -> None:
    decisions = [decision(number, user="eve") for number in range(60)]
    events = {
        one.run_id: [heard(one, FeedbackKind.AGREED), heard(one, FeedbackKind.REFUSED)]
        for one in decisions[:30]
    }
    trust = Labeller(POLICY, FEEDBACK).trust(decisions, events)
    assert trust["eve"] < 0.2
    labels = Labeller(POLICY, FEEDBACK).labels(decisions, events)
    assert labels[0].right is True  # what remains is that a solution agreed


def test_who_corrects_mistakes_is_believed_though_solutions_make_the_same_mistakes() -> None:
    decisions = [decision(number) for number in range(200)]
    agreed = [one for n, one in enumerate(decisions) if n % (7 if n < 50 else 3) == 0]
    events = {one.run_id: [heard(one, FeedbackKind.AGREED)] for one in agreed}
    for one in decisions[:50]:  # 8 of these were agreed with, and 50 of the other 150
        events.setdefault(one.run_id, []).append(heard(one, FeedbackKind.CORRECTED))
    labeller, what = Labeller(POLICY, FEEDBACK), LabelQuestion.ANSWER
    assert labeller.trust(decisions, events, what)["ada"] > 0.9
    labels = labeller.labels(decisions, events, what=what)
    assert {label.right for label in labels[:50]} == {False}


def test_of_a_person_with_five_requests_little_is_known() -> None:
    others = [decision(number) for number in range(60)]
    mine = [decision(100 + number, user="eve") for number in range(5)]
    agreed = [*others[::4], *mine]
    events = {one.run_id: [heard(one, FeedbackKind.AGREED)] for one in agreed}
    labeller = Labeller(POLICY, FEEDBACK)
    for one in mine:
        events[one.run_id].append(heard(one, FeedbackKind.REFUSED))
    doubted = labeller.trust([*others, *mine], events)["eve"]
    assert 0.5 < doubted < 0.9
    for one in mine[1:]:
        events[one.run_id] = [heard(one, FeedbackKind.REFUSED)]
    assert doubted < labeller.trust([*others, *mine], events)["eve"] < POLICY.person


def test_a_decision_near_a_border_is_more_useful_than_a_sure_one() -> None:
    near, far = label_of(decision(0, probability=0.79)), label_of(decision(1, probability=0.2))
    assert usefulness(near) > usefulness(far)
    asked = label_of(
        decision(2, probability=0.79),
        said=(PersonLabel("r2-0", LabelQuestion.TOOL, "ada", True, NOW),),
    )
    assert [label.decision.id for label in queue([far, asked, near], 5)] == ["r0-0", "r1-0"]
