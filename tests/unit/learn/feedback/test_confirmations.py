"""What people agree on: equal values are one word, and a contradiction counts for neither side."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hammerstone.learn.feedback.confirmations import settled, stated_cases
from hammerstone.storage.stores.learning.analyses import Confirmation

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def said(result: Any, right: bool = True, user: str = "ada", **arguments: Any) -> Confirmation:
    return Confirmation("mean", arguments, result, right, "s", user, NOW)


@pytest.mark.parametrize(
    ("words", "agreed", "contradictions"),
    [
        ([], [], 0),
        ([said(4, x=1)], [(4, True)], 0),
        ([said(4, x=1), said(4.0, x=1, user="bob")], [(4.0, True)], 0),
        ([said(0.1 + 0.2, x=1), said(0.3, x=1)], [(0.3, True)], 0),
        ([said(4, x=1), said(5, x=1)], [], 1),
        ([said(4, x=1), said(4, right=False, x=1)], [], 1),
        ([said(4, x=1), said(4.0, right=False, x=1)], [], 1),
        ([said(4, x=1), said(5, right=False, x=1)], [(4, True), (5, False)], 0),
        ([said(5, right=False, x=1), said(6, right=False, x=1)], [(5, False), (6, False)], 0),
        ([said(5, right=False, x=1)] * 2, [(5, False)], 0),
        ([said(4, x=1), said(5, x=2)], [(4, True), (5, True)], 0),
        ([said(4, x=1), said(5, x=1), said(6, x=2)], [(6, True)], 1),
        ([said(4, x=1, y=2), said(5, y=2, x=1)], [], 1),
    ],
)
def test_what_people_agree_on(
    words: list[Confirmation], agreed: list[tuple[Any, bool]], contradictions: int
) -> None:
    for order in (words, words[::-1]):
        found, contradicted = settled(order)
        assert len(contradicted) == contradictions
        if order is words:
            assert [(one.result, one.right) for one in found] == agreed
        else:
            assert len(found) == len(agreed)


def test_only_stated_values_of_calls_become_cases() -> None:
    words = [
        said([1, 2], x=3),
        said(7, right=False, x=4),
        Confirmation("mean", None, 9, True, "s", "ada", NOW),
        said(1, x=5),
        said(2, x=5),
    ]
    ((case, about),) = stated_cases(words)
    assert (case.expected, case.origin, dict(case.call.kwargs)) == ([1, 2], "user", {"x": 3})
    assert about is words[0]
