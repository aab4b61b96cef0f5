"""The numbers that decide: which make sense together, and how they are changed."""

import math
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.learn.policies import GatePolicy, MiningPolicy, RepairPolicy
from hammerstone.library.graph.path import GraphPolicy
from hammerstone.library.memory.context import MemoryPolicy
from hammerstone.library.policies import (
    DuplicatePolicy,
    FitPolicy,
    LifecyclePolicy,
    Policies,
    ProofPolicy,
    SearchPolicy,
)
from hammerstone.library.policies.retention_policies import TracePolicy
from hammerstone.library.skills.skill import SkillPolicy
from hammerstone.run.plan_policy import PlanPolicy, SessionPolicy
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.storage import Database


def test_chances_and_shares_lie_between_nothing_and_all_in_their_order() -> None:
    fit, answer, memory = FitPolicy(), AnswerPolicy(), MemoryPolicy()
    repair, gate, mining, plan = RepairPolicy(), GatePolicy(), MiningPolicy(), PlanPolicy()
    ordered = [
        (0.4, fit.middle, fit.high, fit.same_wording, 1),
        (0, fit.retrieval_similarity_threshold, plan.choose_above_similarity, 1),
        (0.5, answer.likely_at, answer.settled_share, answer.sure_at, answer.chosen_confidence, 1),
        (answer.likely_at, answer.stop_at, answer.sure_at, 1),
        (answer.likely_at, answer.unknown_tool, answer.read_arguments, 1),
        (0, answer.doubtful, answer.likely_at, 1),
        (0, gate.alpha, 0.05, gate.confidence, repair.promote, 1),
        (0.5, repair.unseconded, gate.confidence, 1),
        (0.5, mining.confidence, mining.success, 1),
        (0.5, plan.workflow_confidence, 1),
        (0, LifecyclePolicy().retired_success, ProofPolicy().mutation_score, 1),
        (0, DuplicatePolicy().similarity, fit.retrieval_similarity_threshold, 1),
        (0, memory.minimum_score, memory.minimum_meaning, memory.oldest_share, 1),
        (0, GraphPolicy().weakest_link, GraphPolicy().missing_cost, 1),
        (0, GraphPolicy().experimental_cost, GraphPolicy().deprecated_cost, 1),
        (0, SearchPolicy().unfilled_weight, SearchPolicy().words_weight, 1),
        (1, GraphPolicy().spread, 2),
    ]
    for numbers in ordered:
        assert list(numbers) == sorted(numbers)
        assert numbers[0] < numbers[1] and numbers[-2] < numbers[-1], numbers
    assert 0 <= TracePolicy().keep_success_share <= 1


def test_shares_of_one_whole_make_one() -> None:
    search, memory = SearchPolicy(), MemoryPolicy()
    assert math.isclose(search.relevance_share + search.success_share + search.frequency_share, 1.0)
    assert math.isclose(memory.meaning_share + memory.words_share, 1.0)
    assert search.relevance_share > search.success_share > search.frequency_share > 0


def test_parts_fit_into_the_whole() -> None:
    memory, session, skills, mining = MemoryPolicy(), SessionPolicy(), SkillPolicy(), MiningPolicy()
    assert memory.facts_tokens + memory.summary_tokens + memory.log_tokens < memory.tokens
    assert 0 < memory.exchange_tokens < memory.tokens
    assert session.value_bytes < session.given_file_bytes < session.file_bytes
    assert skills.max_file_bytes < skills.max_total_bytes
    assert 1 < mining.longest < mining.longest_whole
    assert 1 < mining.sessions <= mining.frequency <= mining.examples
    answer = AnswerPolicy()
    assert answer.rounds[-1] == answer.max_solutions
    assert list(answer.rounds) == sorted(set(answer.rounds))
    assert LifecyclePolicy().retired_uses < LifecyclePolicy().trusted_uses


@dataclass(frozen=True, slots=True)
class Kinds:
    name: ClassVar[str] = "kinds"
    switch: bool = True
    count: int = 3
    share: float = 0.5


@pytest.fixture
async def policies(tmp_path: Path) -> AsyncIterator[Policies]:
    db = await Database.open_url(f"sqlite:///{tmp_path}/policies.db")
    made = Policies(db, (Kinds,))
    await made.load()
    yield made
    await db.close()


async def test_a_change_is_in_force_at_once_and_keeps_the_rest(policies: Policies) -> None:
    assert policies.stored("kinds") is None
    await policies.change("kinds", {"count": 5}, who="ada", why="more")
    await policies.change("kinds", {"share": 1}, who="ada", why="all")
    assert policies.get(Kinds) == Kinds(count=5, share=1)
    assert policies.stored("kinds") == {"count": 5, "share": 1}
    await policies.restore("kinds", 1, who="ada")
    assert policies.get(Kinds) == Kinds(count=5)
    assert [row.value for row in await policies.history("kinds")] == [
        {"count": 5},
        {"count": 5, "share": 1},
        {"count": 5},
    ]


@pytest.mark.parametrize(
    ("values", "accepted"),
    [
        ({"switch": False}, True), ({"switch": 1}, False), ({"switch": 0.5}, False),
        ({"count": 7}, True), ({"count": 7.5}, False), ({"count": True}, False),
        ({"share": 2}, True), ({"share": 0.25}, True), ({"share": True}, False),
        ({"share": math.inf}, False), ({"share": math.nan}, False), ({"share": "0.5"}, False),
        ({"other": 1}, False), ({"count": 7, "other": 1}, False),
    ],
)  # fmt: skip
async def test_a_number_keeps_its_kind(
    policies: Policies, values: dict[str, Any], accepted: bool
) -> None:
    if accepted:
        await policies.change("kinds", values, who="ada", why="")
        assert {name: getattr(policies.get(Kinds), name) for name in values} == values
    else:
        with pytest.raises(BadRequest, match="policy kinds"):
            await policies.change("kinds", values, who="ada", why="")
        assert policies.get(Kinds) == Kinds()


async def test_what_is_not_known_is_refused_and_what_is_gone_is_left_out(
    policies: Policies,
) -> None:
    with pytest.raises(BadRequest, match="no policy 'wishes'") as refused:
        await policies.change("wishes", {}, who="ada", why="")
    assert "request_budget" in refused.value.hint and "kinds" in refused.value.hint
    await policies._db.policies.put("kinds", {"count": 4, "gone": 1}, "ada", "older", {})
    assert policies.get(Kinds) == Kinds()  # until it is loaded
    await policies.load()
    assert policies.get(Kinds) == Kinds(count=4)


async def test_nothing_is_read_again_while_nothing_changes(policies: Policies) -> None:
    before = policies.get(Kinds)
    await policies.load()
    await policies.load(policies.revision)
    assert policies.get(Kinds) is before
