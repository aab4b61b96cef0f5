"""How sure a gain is, against what the definition says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.learn.tuning.intervals import Gain, capped, gain

ONES = np.ones


def test_a_gain_everywhere_is_sure_and_its_interval_is_narrow() -> None:
    found = gain(np.full(20, 0.5), ONES(20), [f"s{n}" for n in range(20)])
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)
    assert (found.cases, found.groups, found.sure) == (20, 20, True)


def test_the_interval_holds_the_mean_and_widens_with_less_alpha() -> None:
    differences = np.array([1.0, -1.0, 1.0, 0.0, 1.0, 1.0, -1.0, 1.0])
    groups = [f"s{n}" for n in range(8)]
    wide, narrow = (gain(differences, ONES(8), groups, alpha=alpha) for alpha in (0.01, 0.4))
    assert wide.low <= narrow.low <= narrow.mean == differences.mean() <= narrow.high <= wide.high
    assert narrow.low < narrow.high
    assert gain(differences, ONES(8), groups, seed=3) == gain(differences, ONES(8), groups, seed=3)


def test_one_session_proves_nothing_however_many_cases_it_has() -> None:
    found = gain(ONES(100), ONES(100), ["only"] * 100)
    assert (found.mean, found.groups, found.sure) == (1.0, 1, False)
    assert found.low == -np.inf and found.high == np.inf
    two = gain(ONES(100), ONES(100), ["a", "b"] * 50)
    assert two.groups == 2 and two.sure


def test_cases_count_by_their_weight() -> None:
    found = gain(np.array([1.0, 0.0]), np.array([3.0, 1.0]), ["a", "b"])
    assert found.mean == pytest.approx(0.75)
    nothing = gain(np.array([1.0, 1.0]), np.zeros(2), ["a", "b"])
    assert nothing.mean == 0.0 and not nothing.sure
    assert not Gain(0.1, 0.0, 0.2, 9, 9).sure
    assert Gain(0.1, 0.001, 0.2, 9, 9).sure


def test_a_gain_in_words_and_as_json() -> None:
    found = Gain(0.123456, -0.1, 0.3, 12, 4)
    assert str(found) == "+0.1235 (-0.1000 to +0.3000)"
    assert found.to_json() == {"mean": 0.12346, "low": -0.1, "high": 0.3, "cases": 12, "groups": 4}


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0.1, 5)), min_size=1, max_size=20),
    st.floats(0.2, 0.9),
)
def test_nobody_has_more_than_the_share_and_nobody_else_loses(
    drawn: list[tuple[str, float]], share: float
) -> None:
    users = [user for user, _ in drawn]
    weights = np.array([weight for _, weight in drawn])
    found = capped(weights, users, share)
    masses = {user: weights[[u == user for u in users]].sum() for user in sorted(set(users))}
    top = max(masses, key=lambda user: masses[user])
    mine = np.array([user == top for user in users])
    assert found[~mine] == pytest.approx(weights[~mine])
    if len(masses) > 1 and masses[top] > share * weights.sum() * (1 + 1e-9):
        assert found[mine].sum() == pytest.approx(share * found.sum())
        assert found[mine] / weights[mine] == pytest.approx(found[mine][0] / weights[mine][0])
    else:
        assert found == pytest.approx(weights)
