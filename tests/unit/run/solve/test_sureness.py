"""How sure an answer is: more agreement is surer, and the reason says why in plain words."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.answers import Sureness
from hammerstone.core.solutions import Solution
from hammerstone.run.answer.confidence import sureness_of
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import PLAIN_VOTES, shipped, shipped_without
from hammerstone.run.solve.sureness import (
    answer_confidence,
    reason_for,
    worth_more,
)
from hammerstone.run.solve.votes import Tally, tally

REQUEST = "What are 3 boxes of 4 eggs together?"


def counted(*values: Any) -> Tally:
    solutions = [
        Solution("def f(a, b):\n    return a * b\n", "f", "f(3, 4)", value) for value in values
    ]
    return tally(solutions, REQUEST, PLAIN_VOTES)


def test_more_agreement_is_surer() -> None:
    for size in (4, 8):
        values = [
            answer_confidence(counted(*([12] * agree + list(range(20, 20 + size - agree)))))
            for agree in range(1, size + 1)
        ]
        assert values == sorted(values)
        assert values[-1] > 0.8
        assert values[0] < 0.5


def test_nothing_ran_is_no_confidence() -> None:
    assert answer_confidence(counted(None, None)) == 0.0
    assert reason_for(counted(None, None)) == "none of 2 solutions gave a result"


@given(st.lists(st.integers(0, 3) | st.none() | st.text(max_size=3), max_size=9))
def test_a_confidence_is_a_probability(values: list[Any]) -> None:
    assert 0.0 <= answer_confidence(counted(*values)) <= 1.0
    assert isinstance(reason_for(counted(*values)), str)


def test_words_follow_the_policy() -> None:
    policy = AnswerPolicy()
    assert sureness_of(0.90, policy) is Sureness.SURE
    assert sureness_of(0.65, policy) is Sureness.LIKELY
    assert sureness_of(0.64, policy) is Sureness.UNSURE


def test_rounds_stop_at_the_most_solutions() -> None:
    assert AnswerPolicy().rounds == (1, 4, 8)
    assert AnswerPolicy(max_solutions=3).rounds == (1, 3)


def test_sure_answers_wait_for_no_more() -> None:
    policy = AnswerPolicy()
    assert not worth_more(counted(12, 12, 12, 12), 0.95, policy)
    assert worth_more(counted(12, 12, 13, 14), 0.5, policy)
    assert not worth_more(counted(*[12] * 8), 0.8, policy)


def test_reasons_in_plain_words() -> None:
    assert reason_for(counted(*[12] * 7, 13)) == "7 of 8 independent solutions agree"
    tied = counted(24.84, 24.84, 24.84, 24.84, 21.6, 21.6, 21.6, None)
    assert reason_for(tied) == "4 say 24.84, 3 say 21.60"
    assert reason_for(counted(False, False, True, True)) == "2 say no, 2 say yes"
    assert reason_for(counted(1, 2, 3, 4)) == "1 says 1, 1 says 2, 2 say something else"


def test_a_fitted_request_is_judged_by_a_fold_that_left_it_out() -> None:
    assert shipped_without("a request that nobody fitted") == shipped()
