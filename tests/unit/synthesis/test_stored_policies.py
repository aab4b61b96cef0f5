"""Policies of several parts are one document each: what was stored keeps being read."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from hammerstone.learn.policies import RepairPolicy
from hammerstone.library.memory import MemoryPolicy
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from hammerstone.synthesis.examine.verdict import ExaminePolicy

NAMES = {
    ExaminePolicy: """verified_at rejected_below first_candidates first_suites max_candidates
        max_suites max_questions hopeless adjudicator_reliability repeated_calls""",
    RepairPolicy: """enabled edits survivors probes samples rewrites temperature unseconded
        promote sessions slower attempts replays probation_uses tokens model_calls usd""",
    MemoryPolicy: """enabled tokens window exchange_tokens facts_tokens summary_tokens log_tokens
        recalled meaning_share words_share minimum_score minimum_meaning half_life_days
        oldest_share searched summary_by_model summary_model_tokens""",
}
KINDS: tuple[type[Any], ...] = tuple(NAMES)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_document_with_every_field_takes_effect(kind: type[Any], tmp_path: Path) -> None:
    """Every name that a stored document may have, with another value than the default."""
    names = NAMES[kind].split()
    defaults = asdict(kind())
    assert sorted(defaults) == sorted(names)
    stored = {name: _another(defaults[name]) for name in names}
    database = await Database.open_url(f"sqlite:///{tmp_path}/policies.db")
    try:
        await database.policies.put(kind.name, stored, "ada", "as it was stored")
        policies = Policies(database, KINDS)
        await policies.load()
        assert asdict(policies.get(kind)) == stored
        await policies.change(kind.name, {names[0]: defaults[names[0]]}, who="ada", why="back")
        assert asdict(policies.get(kind)) == {**stored, names[0]: defaults[names[0]]}
    finally:
        await database.close()


async def test_a_document_of_the_time_of_many_marks_is_read(tmp_path: Path) -> None:
    """What is still a number of the policy counts; what is not any more is left alone."""
    stored = {"verified_at": 0.9, "verified_at_untold": 0.99, "min_votes": 5, "max_suites": 6}
    database = await Database.open_url(f"sqlite:///{tmp_path}/policies.db")
    try:
        await database.policies.put("synthesis", stored, "ada", "as it was stored")
        policies = Policies(database, KINDS)
        await policies.load()
        policy = policies.get(ExaminePolicy)
        assert (policy.verified_at, policy.max_suites) == (0.9, 6)
    finally:
        await database.close()


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    share = isinstance(value, float) and 0 < value < 1
    return value / 2 if share else value + 1  # a share stays one
