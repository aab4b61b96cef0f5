"""Names that people know from other systems, wherever a policy is named."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.app.wiring import MORE_POLICIES
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.library.policies import CachePolicy, FitPolicy, Policies, SearchPolicy
from hammerstone.library.policies.aliases import ALIASES, knob_named
from hammerstone.storage import Database


@pytest.fixture
async def policies(tmp_path: Path) -> AsyncIterator[Policies]:
    db = await Database.open_url(f"sqlite:///{tmp_path}/p.db")
    made = Policies(db, MORE_POLICIES)
    await made.load()
    yield made
    await db.close()


async def set_one(policies: Policies, name: str, values: JsonObject) -> None:
    await policies.change(name, values, who="ada", why="trying")


async def test_every_alias_names_fields_that_there_are(policies: Policies) -> None:
    assert set(ALIASES) == {
        "retrieval_similarity_threshold",
        "composite_promotion_criteria",
        "workflow_complexity_thresholds",
        "cost_limits",
        "cache_ttl",
        "reranking_weights",
    }
    for name, alias in ALIASES.items():
        assert list(policies.values_of(name)) == list(alias.fields.values())
        for key in alias.fields:
            assert knob_named(f"{name}.{key}") == f"{alias.policy}.{alias.fields[key]}"


async def test_an_alias_sets_what_it_means_in_either_words(policies: Policies) -> None:
    await set_one(policies, "cache_ttl", {"value": 60.0})
    assert policies.get(CachePolicy).ttl_s == 60.0
    await set_one(policies, "cache_ttl", {"seconds": 30.0})
    await set_one(policies, "reranking_weights", {"relevance": 0.5, "frequency_share": 0.3})
    assert policies.get(CachePolicy).ttl_s == 30.0
    search = policies.get(SearchPolicy)
    assert (search.relevance_share, search.frequency_share) == (0.5, 0.3)
    assert [row.number for row in await policies.history("cache_ttl")] == [1, 2]
    await set_one(policies, "retrieval_similarity_threshold", {"value": 0.5})
    assert policies.get(FitPolicy).retrieval_similarity_threshold == 0.5


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("reranking_weights", {"luck": 1.0}, "reranking_weights has no 'luck'"),
        ("reranking_weights", {"value": 1.0}, "has no 'value'"),
        ("cache_ttl", {"value": -1.0}, "takes 0 to"),
        ("retrieval_similarity_threshold", {"value": 1.5}, "takes 0 to 1"),
        ("composite_promotion_criteria", {"min_success_rate": 2.0}, "takes 0 to 1"),
        ("composite_promotion_criteria", {"min_frequency": 0}, "takes 1 to"),
        ("workflow_complexity_thresholds", {"max_steps": -1}, "takes 0 to"),
        ("reranking_weights", {"relevance": 2}, "takes 0 to 1"),
        ("cost_limits", {"max_tokens": 0.5}, "takes a whole number"),
        ("fit", {"high": 1.01}, "takes 0 to 1"),
        ("nothing", {"value": 1}, "there is no policy"),
    ],
)
async def test_what_is_out_of_bounds_or_unknown_is_refused(
    policies: Policies, name: str, values: JsonObject, told: str
) -> None:
    with pytest.raises(BadRequest, match=told):
        await set_one(policies, name, values)
    assert policies.versions == {}


async def test_two_versions_are_compared(policies: Policies) -> None:
    await set_one(policies, "fit", {"high": 0.9})
    await set_one(policies, "fit", {"high": 0.7, "middle": 0.6})
    assert (await policies.diff("fit", 0)).fields == {"high": (0.8, 0.7), "middle": (0.5, 0.6)}
    between = await policies.diff("fit", 1, 2)
    assert between.fields == {"high": (0.9, 0.7), "middle": (0.5, 0.6)}
    assert (await policies.diff("search", 0)).fields == {}
    with pytest.raises(NotFound):
        await policies.diff("fit", 9)


async def test_rolling_back_goes_on_to_the_defaults(policies: Policies) -> None:
    for high in (0.9, 0.7):
        await set_one(policies, "fit", {"high": high})
    assert await policies.rollback("fit", who="ada") == 1
    assert policies.get(FitPolicy).high == 0.9
    assert await policies.rollback("fit", who="ada") == 0
    assert policies.get(FitPolicy).high == 0.8
    with pytest.raises(NotFound, match="has its defaults"):
        await policies.rollback("fit", who="ada")
    await set_one(policies, "fit", {"high": 0.6})
    assert await policies.rollback("fit", who="ada") == 4
    assert policies.get(FitPolicy).high == 0.8


async def test_a_policy_that_was_never_changed_is_not_rolled_back(policies: Policies) -> None:
    with pytest.raises(NotFound):
        await policies.rollback("cache_ttl", who="ada")
