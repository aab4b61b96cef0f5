"""Candidates that return the same are one behaviour; one that raises says nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.judging.labels import Labels
from hammerstone.synthesis.examine.belief.behaviours import group

R = Labels.RAISED


def test_equal_rows_are_one_behaviour_with_their_votes() -> None:
    groups = group(np.array([[0, 1], [0, 1], [0, 0]]))
    assert [(g.exact, g.votes) for g in groups] == [((0, 1), 2.0), ((2,), 1.0)]


def test_a_majority_that_raises_gives_its_votes_to_who_does_not() -> None:
    (only,) = group(np.array([[0, R], [0, R], [0, R], [0, 5]]))
    assert only.exact == (3,)
    assert only.covered == (0, 1, 2, 3)
    assert only.votes == 4.0


def test_votes_are_shared_between_behaviours_that_cover_the_same_silence() -> None:
    groups = group(np.array([[0, R], [0, 1], [0, 1], [0, 2]]))
    assert [round(g.votes, 3) for g in groups] == [2.667, 1.333]


def test_where_raising_is_expected_it_is_a_behaviour() -> None:
    cells = np.array([[0, R], [0, 5]])
    assert len(group(cells)) == 1
    assert len(group(cells, raising={1})) == 2
    assert len(group(cells, covering=False)) == 2


@given(st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=8))
def test_no_vote_is_lost_or_made_up(rows: list[list[int]]) -> None:
    groups = group(np.array(rows))
    assert abs(sum(g.votes for g in groups) - len(rows)) < 1e-9
    for one in groups:
        for draw in one.covered:
            for cell, label in zip(rows[draw], one.labels, strict=True):
                assert cell < 0 or cell == label
