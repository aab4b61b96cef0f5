"""A short week of use: every change is in the ledger, and all of it can be taken back."""

import pytest

from evals.ledger_week import measure


@pytest.mark.timeout(600)
async def test_after_a_week_all_of_it_can_be_taken_back() -> None:
    report = await measure(requests=44, orders=2)
    assert report.requests == 44
    assert report.without_entry == []
    assert {
        "build", "composite", "edit", "examination", "lesson", "merge", "policy", "repair",
        "retirement", "skill",
    } <= set(report.kinds)  # fmt: skip
    assert [one["differences"] for one in report.orders] == [[], []]
    assert {one["undone"] for one in report.orders} == {report.entries}
