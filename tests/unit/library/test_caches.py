"""What counts as the same request and what does not; how long values are at hand."""

from datetime import timedelta
from pathlib import Path

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.core.settings import load_settings
from hammerstone.library.caches import LARGEST_AT_HAND, RecentValues, RequestMemo
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from tests.hand_clock import HandClock


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('How long is "a  b"?', 'How long is "a b"?'),
        ("Lines of: a\nb", "Lines of: a b"),
        ("Letters in e\u0301?", "Letters in \u00e9?"),
    ],
)
async def test_requests_that_differ_in_a_character_never_share_an_answer(
    one: str, other: str, tmp_path: Path
) -> None:
    db = await Database.open(load_settings(data_dir=tmp_path))
    memo = RequestMemo(db, Policies(db), SystemClock())
    try:
        assert memo.key("u", one, [], 1) == memo.key("u", one, [], 1)
        assert memo.key("u", one, [], 1) != memo.key("u", other, [], 1)
    finally:
        await db.close()


def test_what_is_at_hand_goes_when_its_time_is_over_or_others_were_used_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hammerstone.library.caches.AT_HAND", 2)
    clock = HandClock()
    at_hand = RecentValues(clock)
    soon, late = (clock.now() + timedelta(seconds=s) for s in (5, 60))
    at_hand.take("soon", 1, soon)
    at_hand.take("late", 2, late)
    assert (at_hand.find("soon"), at_hand.find("late")) == (1, 2)
    clock.forward(5)
    assert (at_hand.find("soon"), at_hand.find("late")) == (None, 2)
    at_hand.take("second", 3, late)
    assert at_hand.find("late") == 2  # used last, so it stays
    at_hand.take("third", 4, late)
    assert [at_hand.find(key) for key in ("late", "second", "third")] == [2, None, 4]
    at_hand.take("late", 5, clock.now())  # over already
    at_hand.take("huge", "x" * (LARGEST_AT_HAND + 1), late)
    assert (at_hand.find("late"), at_hand.find("huge")) == (None, None)
    at_hand.clear()
    assert at_hand.find("third") is None
