"""Votes of whole solutions: who agrees, which form is shown, and when more can change it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.solutions import Solution
from hammerstone.run.solve.calibration import PLAIN_VOTES, shipped
from hammerstone.run.solve.evidence import evidence_for
from hammerstone.run.solve.votes import can_change, tally


def solution(value: Any, call: str = "f(3)", code: str = "def f(n):\n    return n\n") -> Solution:
    return Solution(code, "f", call, value)


def failed(error: str = "ValueError: no") -> Solution:
    return Solution("def f(n):\n    return n\n", "f", "f(3)", None, error)


def plain(*values: Any) -> Any:
    return tally([solution(value) for value in values], "", PLAIN_VOTES)


def test_the_largest_group_leads_in_the_form_most_of_it_used() -> None:
    count = plain(22.7244, 22.72, 22.72, 21.6)
    assert (count.value, count.agree, count.total) == (22.72, 3, 4)
    assert count.alternatives == ({"value": 21.6, "agree": 1},)
    assert count.groups[0].members == (0, 1, 2)


def test_of_groups_of_one_size_the_earlier_leads() -> None:
    assert plain(1, 2).value == 1
    assert plain(2, 1, 1, 2).value == 2


def test_none_and_nan_and_failures_are_no_answers() -> None:
    count = tally(
        [failed(), solution(None), solution({"$float": "nan"}), solution(7)], "", PLAIN_VOTES
    )
    assert (count.value, count.agree, count.ran, count.total) == (7, 1, 1, 4)


def test_nothing_ran() -> None:
    count = tally([failed(), failed()], "", PLAIN_VOTES)
    assert count.leader is None
    assert (count.value, count.agree, count.total) == (None, 0, 2)
    assert can_change(count, 1)


def test_zero_is_an_answer_and_false_is_another() -> None:
    assert plain(0, 0, False).agree == 2


def test_a_vote_that_asks_the_clock_weighs_less() -> None:
    request = "Today is 2011-03-04. What is the date tomorrow?"
    now = "from datetime import date\n\ndef f(n):\n    return str(date.today())\n"
    asks_clock = [solution("2026-01-01", "f(1)", now)] * 2
    reads = [solution("2011-03-05", "f('2011-03-04')", "def f(day):\n    return day\n")] * 2
    assert tally([*asks_clock, *reads], request, PLAIN_VOTES).value == "2026-01-01"
    assert tally([*asks_clock, *reads], request).value == "2011-03-05"


def test_evidence_is_read_off_the_solution() -> None:
    code = "# 3 * 4 = 12\ndef f(a, b):\n    return a * b\n"
    one = solution(12, "f(3, 4)", code)
    first, second = evidence_for([one, one], "3 boxes of 4 eggs, 5 of them broken")
    assert (first.found, round(first.used, 2), first.reckoned, first.plain) == (1.0, 0.67, 1.0, 1.0)
    assert (first.greedy, first.copied) == (1.0, 0.0)
    assert (second.greedy, second.copied) == (0.0, 1.0)


def test_votes_can_change_until_the_lead_is_out_of_reach() -> None:
    assert can_change(plain(5, 5, 5, 4), 4)
    assert not can_change(plain(5, 5, 5, 5, 5, 5, 4), 1)
    assert not can_change(plain(5, 5, 5, 5), 0)


def test_ten_megabytes_are_cheap() -> None:
    huge = "x" * 10_000_000
    assert plain(huge, huge, "y").agree == 2


answers = st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["3", "a", "B "]), st.floats())


@given(st.lists(answers, max_size=8))
def test_every_answer_is_counted_once(values: list[Any]) -> None:
    count = tally([solution(value) for value in values], "3 apples")
    members = [at for group in count.groups for at in group.members]
    assert sorted(members) == [
        at for at, value in enumerate(values) if value is not None and value == value
    ]
    assert count.total == len(values)
    assert list(count.groups) == sorted(count.groups, key=lambda group: -group.votes)


def test_the_shipped_weights_are_finite_and_named() -> None:
    weights = shipped().weights
    assert "momentary" in weights.names
    assert all(abs(value) < 10 for value in weights.values)
