"""When use moves a version over the mark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.tools.upkeep.trust import TrustPolicy

POLICY = TrustPolicy(fall_weight=1.5, rise_weight=5.0)


@pytest.mark.parametrize(
    ("chance", "marked", "good", "wrong", "moves"),
    [
        (0.94, True, 0.0, 1.5, True),
        (0.94, True, 99.0, 1.4, False),  # one mistaken word takes nothing
        (0.95, True, 0.0, 9.0, False),
        (0.96, True, 9.0, 9.0, False),
        (0.95, False, 5.0, 0.0, True),
        (0.99, False, 4.9, 0.0, False),  # a few answers give nothing
        (0.94, False, 9.0, 0.0, False),
    ],
)
def test_enough_has_to_speak_for_it(
    chance: float, marked: bool, good: float, wrong: float, moves: bool
) -> None:
    assert POLICY.crosses(chance, 0.95, marked=marked, good=good, wrong=wrong) is moves


share = st.floats(0, 1)
weight = st.floats(0, 20)


@given(share, share, weight, weight)
def test_it_never_crosses_to_the_side_where_it_stands(
    chance: float, mark: float, good: float, wrong: float
) -> None:
    falls = POLICY.crosses(chance, mark, marked=True, good=good, wrong=wrong)
    rises = POLICY.crosses(chance, mark, marked=False, good=good, wrong=wrong)
    assert not (falls and rises)
    assert not falls or chance < mark
    assert not rises or chance >= mark
