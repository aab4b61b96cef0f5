"""What counts as the same request, and what does not."""

from pathlib import Path

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.core.settings import load_settings
from hammerstone.library.caches import RequestMemo
from hammerstone.library.policies import Policies
from hammerstone.storage import Database


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
