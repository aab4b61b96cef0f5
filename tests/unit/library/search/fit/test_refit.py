"""A gate of one's own: kept when it judges better, refused without evidence, taken back."""

import random
from collections.abc import AsyncIterator

import pytest

from hammerstone.library.policies import Policies
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.fit.gate import FitGate, shipped_gate
from hammerstone.library.search.fit.refit import labelled_decisions, refit
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

FILLERS = ["please", "kindly", "quickly", "today", "again", "nicely", "soon", "maybe"]
TOPICS = [
    "triangle",
    "mortgage",
    "weather",
    "recipe",
    "railway",
    "melody",
    "garden",
    "planet",
    "lawsuit",
    "passport",
    "invoice",
    "protein",
]


@pytest.fixture
async def used(db: Database) -> AsyncIterator[ToolSearch]:
    """A library whose tools each answered eight requests."""
    search = ToolSearch(db, HashedEmbedder(256), Policies(db), floor=0.0)
    rng = random.Random(1)
    for topic in TOPICS:
        await search.index_facets(Facets(f"{topic}_facts", f"Everything about a {topic}."))
    for topic in TOPICS:
        for number in range(8):
            words = " ".join(rng.sample(FILLERS, 3))
            await search.learn(f"{topic} {words} {number}", f"{topic}_facts", PastOutcome.ANSWERED)
    yield search
    await search.close()


async def test_nothing_is_fitted_on_little_evidence(db: Database) -> None:
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    await search.index_facets(Facets("triangle_area", "Area of a triangle."))
    await search.learn("area of my triangle", "triangle_area", PastOutcome.CHOSEN)
    done = await search.refit()
    assert done.gate is None
    assert "not enough to learn from" in done.reason
    assert done.to_json()["kept"] is False


async def test_a_better_gate_is_kept_used_and_taken_back(used: ToolSearch, db: Database) -> None:
    query = "lawsuit please soon"
    before = (await used.fit(query, await used.find(query))).probability
    done = await used.refit(who="test")
    assert done.gate is not None, done.reason
    assert done.before is not None and done.after is not None
    assert done.after["log_loss"] < done.before["log_loss"]
    assert done.after["auroc"] >= done.before["auroc"] - 0.005
    await used.settle()
    changed = (await used.fit(query, await used.find(query))).probability
    assert changed > before
    other = ToolSearch(db, HashedEmbedder(256), Policies(db))
    await other._policies.load()  # pyright: ignore[reportPrivateUsage]
    assert other._gates.of("", meaning=True) != shipped_gate(meaning=True)  # pyright: ignore[reportPrivateUsage]
    assert other._gates.of("somebody", meaning=True) == shipped_gate(meaning=True)  # pyright: ignore[reportPrivateUsage]
    history = await db.policies.history("gate/")
    assert history[-1].evidence["kept"] is True
    await used.forget_gate(who="test")
    assert used._gates.of("", meaning=True) == shipped_gate(meaning=True)  # pyright: ignore[reportPrivateUsage]


async def test_the_gate_in_force_stays_when_it_is_as_good(used: ToolSearch) -> None:
    first = await used.refit()
    assert first.gate is not None
    ranker = used._ranker()  # pyright: ignore[reportPrivateUsage]
    past = list(used._index.experiences[""].past.values())  # pyright: ignore[reportPrivateUsage]
    again = refit(past, ranker, first.gate, 20)
    assert again.gate is None or again.after != again.before


async def test_wrong_picks_are_labels_too_and_searching_goes_on(used: ToolSearch) -> None:
    await used.learn("melody for the planet", "planet_facts", PastOutcome.WRONG)
    past = list(used._index.experiences[""].past.values())  # pyright: ignore[reportPrivateUsage]
    decisions = labelled_decisions(past, used._ranker())  # pyright: ignore[reportPrivateUsage]
    assert any(d.tool == "planet_facts" and not d.fits for d in decisions)
    assert {d.fits for d in decisions} == {True, False}
    assert len(await used.find("planet", 50)) == len(TOPICS)


def test_a_gate_near_another_stays_near_it_without_evidence() -> None:
    from tests.unit.evaluation.test_retrieval import signals

    near = shipped_gate(meaning=True)
    seen = [signals(cosine=0.9), signals(cosine=0.1)]
    fitted = FitGate.fitted(seen, [True, False], near=near)
    probe = signals(cosine=0.6, request_told=0.5)
    assert fitted.probability(probe) == pytest.approx(near.probability(probe), abs=0.2)
