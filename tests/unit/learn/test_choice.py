"""Which behaviour is believed, and how much."""

from hammerstone.core.calls import Call, Outcome
from hammerstone.core.tools import Case, CaseKind
from hammerstone.learn.repair.behaviours import (
    EDIT,
    FIX,
    REWRITE,
    Candidate,
    ProbedBehaviour,
    group,
    supports,
)
from hammerstone.learn.repair.choice import choose
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.learn.repair.fix import UNHEARD, Search


def behaviour(labels: tuple[int, ...], *members: tuple[str, float]) -> ProbedBehaviour:
    return ProbedBehaviour(
        labels, [Candidate(f"code {o} {c}", o, "changed", c) for o, c in members]
    )


CHEAP = behaviour((1, 2, 3, 4, 5), (EDIT, 0.8))
OTHER = behaviour((1, 2, 3, 9, 9), (EDIT, 0.9))


def test_nothing_alive_is_no_choice():
    assert choose([], 4, 3) is None


def test_the_only_cheap_edit_left_is_believed():
    choice = choose([CHEAP], 0, 3)
    assert choice is not None
    assert choice.confidence > 0.92


def test_a_far_fetched_edit_is_believed_less():
    near, far = choose([CHEAP], 0, 3), choose([behaviour((1, 2), (EDIT, 2.4))], 0, 3)
    assert near is not None
    assert far is not None
    assert far.confidence < 0.92 < near.confidence


def test_two_behaviours_are_a_reason_for_doubt_that_a_model_may_settle():
    doubtful = choose([CHEAP, OTHER], 0, 3)
    voted = behaviour((1, 2, 3, 9, 9), (EDIT, 0.9), (FIX, 0), (FIX, 0), (REWRITE, 0))
    settled = choose([CHEAP, voted], 4, 3)
    assert doubtful is not None
    assert settled is not None
    assert doubtful.confidence < 0.9 < settled.confidence
    assert settled.behaviour is voted


def test_a_models_fix_that_differs_is_a_reason_for_doubt():
    rival = behaviour((7, 7, 7, 7, 7), (FIX, 0))
    choice = choose([CHEAP, rival], 2, 3)
    assert choice is not None
    assert choice.confidence < 0.92


def test_where_one_raises_it_says_nothing():
    assert supports(CHEAP, behaviour((1, 2, 3, -1, -1), (FIX, 0)))
    assert not supports(CHEAP, OTHER)
    assert not supports(CHEAP, behaviour((-1, -1, -1, -1, 5), (FIX, 0)))


def search_with(choice, samples: int) -> Search:
    case = Case(CaseKind.VALUE, Call(), 1)
    return Search(Complaint("f", "", "", case), [case], [], samples=samples, choice=choice)


def test_an_edit_that_no_model_agrees_with_is_not_sure_enough():
    assert search_with(choose([CHEAP], 2, 3), 2).confidence == UNHEARD
    backed = behaviour((1, 2, 3, 4, 5), (EDIT, 0.8), (FIX, 0))
    assert search_with(choose([backed], 2, 3), 2).confidence > 0.92


def test_the_same_result_for_every_input_is_not_sure_enough():
    def rows(*values: int) -> list[list[Outcome]]:
        return [[Outcome(value=value) for value in values]] * 2

    members = [Candidate("a", EDIT, "changed", 0.8), Candidate("b", FIX, "written")]
    (same,), _ = group(members, rows(0, 0, 0))
    (varied,), _ = group(members, rows(0, 1, 0))
    assert same.constant
    assert not varied.constant
    assert search_with(choose([same], 1, 3), 1).confidence == UNHEARD
    assert search_with(choose([varied], 1, 3), 1).confidence > 0.92
