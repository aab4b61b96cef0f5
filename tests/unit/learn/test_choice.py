"""Which behaviour is believed, and how much."""

from hammerstone.learn.repair.behaviours import EDIT, FIX, REWRITE, Behaviour, Candidate, supports
from hammerstone.learn.repair.choice import choose


def behaviour(labels: tuple[int, ...], *members: tuple[str, float]) -> Behaviour:
    return Behaviour(labels, [Candidate(f"code {o} {c}", o, "changed", c) for o, c in members])


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
