"""What speaks for a solution, read off its text, and what the words for it are."""

from typing import Any

import pytest

from hammerstone.core.answers import Sureness
from hammerstone.core.solutions import Solution
from hammerstone.run.answer.confidence import sureness_of
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import (
    PLAIN_VOTES,
    SIZES,
    AnswerCalibration,
    VoteWeights,
    fold_of,
    request_key,
    shipped,
)
from hammerstone.run.solve.evidence import UNKNOWN, SolutionEvidence, evidence_for, is_answer
from hammerstone.run.solve.sureness import features_of, is_settled, reason_for
from hammerstone.run.solve.votes import Tally, can_change, tally

PLAIN = "def f(a, b=0):\n    return a\n"


def evidence(
    value: Any = 1, call: str = "f(1)", code: str = PLAIN, request: str = ""
) -> SolutionEvidence:
    return evidence_for([Solution(code, "f", call, value)], request)[0]


@pytest.mark.parametrize(
    ("call", "request_text", "found"),
    [
        ("f(3, 4)", "3 boxes of 4", 1.0),
        ("f(3, 5)", "3 boxes of 4", 0.5),
        ("f(-3)", "3 below zero", 1.0),
        ("f('Oslo ', True)", "the weather in OSLO", 1.0),
        ("f('Rome')", "the weather in Oslo", 0.0),
        ("f(1000)", "1,000 euros", 1.0),
        ("f()", "3 boxes", UNKNOWN),
        ("f(", "3 boxes", UNKNOWN),
        ("f(12)", "a dozen: twelve eggs", 1.0),
    ],
)
def test_arguments_that_stand_in_the_request(call: str, request_text: str, found: float) -> None:
    assert evidence(call=call, request=request_text).found == found


@pytest.mark.parametrize(
    ("code", "call", "used"),
    [
        (PLAIN, "f(3, 4)", 1.0),
        (PLAIN, "f(3)", 0.5),
        ("def f(a):\n    return a * 4\n", "f(3)", 1.0),
        ("def f(a):  # 4 of them\n    return a\n", "f(3)", 0.5),  # a comment uses nothing
        (PLAIN, "f(5)", 0.0),
    ],
)
def test_numbers_of_the_request_that_are_used(code: str, call: str, used: float) -> None:
    assert evidence(code=code, call=call, request="3 boxes of 4").used == used
    assert evidence(code=code, call=call, request="boxes").used == UNKNOWN


@pytest.mark.parametrize(
    ("comment", "value", "reckoned"),
    [
        ("3 * 4 = 12", 12, 1.0),
        ("3 * 4 = 12", 13, 0.0),
        ("1 + 1 = 2\n# 2 * 6 = 12", 12, 1.0),  # the last one counts
        ("= $1,200.50", 1200.5, 1.0),
        ("x = 3 * 4", 3, UNKNOWN),  # not a result yet
        ("nothing", 3, UNKNOWN),
    ],
)
def test_what_the_comments_reckon(comment: str, value: Any, reckoned: float) -> None:
    assert evidence(value, code=f"# {comment}\n{PLAIN}").reckoned == reckoned


@pytest.mark.parametrize(
    ("value", "plain", "empty"),
    [
        (3, 1.0, 0.0), (0, 1.0, 1.0), (-3, 0.0, 0.0), (2.25, 1.0, 0.0), (2.125, 0.0, 0.0),
        ("text", UNKNOWN, 0.0), ("", UNKNOWN, 1.0), ([], UNKNOWN, 1.0), (0.0, 1.0, 1.0),
    ],
)  # fmt: skip
def test_values_as_most_answers_are(value: Any, plain: float, empty: float) -> None:
    found = evidence(value)
    assert (found.plain, found.empty) == (plain, empty)
    assert evidence(False).empty == 0.0


def test_the_same_program_under_other_names_is_a_copy() -> None:
    other = "def g(x, y=0):\n    # the first\n    return x\n"
    another = "def f(a, b=1):\n    return a\n"
    codes = [PLAIN, other, another, "def f(:", "def f(:"]
    calls = ["f(1)", "g(1)", "f(1)", "f(1)", "f(1)"]
    made = [Solution(code, "f", call, 1) for code, call in zip(codes, calls, strict=True)]
    found = evidence_for(made, "")
    assert [one.copied for one in found] == [0, 1, 0, 0, 1]
    assert [one.greedy for one in found] == [1, 0, 0, 0, 0]


def test_what_can_answer() -> None:
    assert is_answer(Solution(PLAIN, "f", "f(1)", 0))
    assert not is_answer(Solution(PLAIN, "f", "f(1)", None))
    assert not is_answer(Solution(PLAIN, "f", "f(1)", 3, "ValueError"))
    assert not is_answer(Solution(PLAIN, "f", "f(1)", {"$float": "nan"}))
    assert is_answer(Solution(PLAIN, "f", "f(1)", {"$float": "inf"}))


def test_a_vote_counts_at_most_twice_and_at_least_half() -> None:
    weights = VoteWeights(("found", "empty"), (1.0, -100.0))
    typical = weights.vote(SolutionEvidence())
    assert typical == 1.0
    assert weights.vote(SolutionEvidence(found=1.0)) == pytest.approx(1.6487, abs=1e-4)
    assert weights.vote(SolutionEvidence(empty=1.0)) == pytest.approx(0.4966, abs=1e-4)
    assert VoteWeights(("found",), (9.0,)).vote(SolutionEvidence(found=1.0)) < 2.02
    assert PLAIN_VOTES.vote(SolutionEvidence(empty=1.0)) == 1.0


def test_the_nearest_number_of_solutions_is_taken() -> None:
    known = shipped()
    by_size = dict(known.sizes)
    assert tuple(by_size) == SIZES
    for total, size in [(0, 1), (1, 1), (2, 4), (3, 4), (4, 4), (5, 4), (6, 8), (8, 8), (99, 8)]:
        if total != 2:  # as far from one as from four
            assert known.for_size(total) is by_size[size], total


def test_a_calibration_survives_being_stored() -> None:
    again = AnswerCalibration.from_json(shipped().to_json())
    assert again == AnswerCalibration.from_json(again.to_json())
    assert again.weights.names == shipped().weights.names
    assert again.source == shipped().source


def test_every_request_has_one_part() -> None:
    keys = [request_key(f"request {n}") for n in range(200)]
    assert all(len(key) == 10 for key in keys)
    assert {fold_of(key, 5) for key in keys} == set(range(5))
    assert request_key("a") == request_key("a") != request_key("b")


def counted(*values: Any) -> Tally:
    return tally([Solution(PLAIN, "f", "f(1)", value) for value in values], "", PLAIN_VOTES)


def test_features_are_shares_of_the_vote() -> None:
    found = features_of(counted(5, 5, 5, 6, None))
    assert found["share"] == 0.6
    assert found["unanimous"] == 0.0
    assert found["lead"] == pytest.approx((3 - 1) / 4)
    assert found["failed"] == pytest.approx(0.2)
    assert found["odds"] == pytest.approx(0.3365, abs=1e-4)
    assert found["copied"] == pytest.approx(2 / 3)
    assert found["greedy"] == 1.0
    alone = features_of(counted(5, 5))
    assert (alone["unanimous"], alone["lead"], alone["share"]) == (1.0, 1.0, 1.0)
    assert features_of(counted(None)) == {}


@pytest.mark.parametrize(
    ("values", "left", "can"),
    [
        ((5, 5, 6), 1, True),  # a tie
        ((5, 5, 5, 6), 1, False),
        ((5, 5, 5, 6), 2, True),
        ((5, 5), 1, False),
        ((5, 5), 2, True),
        ((5, 6), 0, False),
        ((None,), 1, True),
        ((None,), 0, False),
    ],
)
def test_when_more_solutions_can_change_the_answer(values: Any, left: int, can: bool) -> None:
    assert can_change(counted(*values), left) is can


def test_an_answer_is_settled_by_three_of_four() -> None:
    policy = AnswerPolicy()
    assert is_settled(counted(5, 5, 5, 6), policy)
    assert not is_settled(counted(5, 5, 6, 6), policy)
    assert not is_settled(counted(5), policy)
    assert is_settled(counted(5, 5), policy)


def test_words_begin_where_the_policy_says() -> None:
    said = (
        sureness_of(c, AnswerPolicy(sure_at=0.8, likely_at=0.4)) for c in (0.8, 0.79, 0.4, 0.39)
    )
    assert [*said] == [
        Sureness.SURE,
        Sureness.LIKELY,
        Sureness.LIKELY,
        Sureness.UNSURE,
    ]


def test_reasons_name_what_the_solutions_say() -> None:
    assert reason_for(counted(5)) == "only one solution so far"
    assert reason_for(counted(5, None, None, None)) == "1 of 4 independent solutions agree"
    assert reason_for(counted(5, 5, 6, 6)) == "2 say 5, 2 say 6"
    assert reason_for(counted(5, 5, 5, 6, 6)) == "3 of 5 independent solutions agree"
    assert reason_for(counted("a" * 70, "b" * 60)) == f"1 says {'a' * 60}..., 1 says {'b' * 60}"
    assert reason_for(counted([1], {"a": "é"})) == '1 says [1], 1 says {"a": "é"}'
    assert reason_for(counted(2.5, 3)) == "1 says 2.5, 1 says 3"
    assert reason_for(tally([], "")) == ""
