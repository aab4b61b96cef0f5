"""Which earlier exchanges come back, in which order, and which do not."""

from dataclasses import replace

import pytest

from hammerstone.core.errors import ModelUnavailable
from hammerstone.library.memory.context import RecallPolicy
from hammerstone.library.memory.recall import Recall
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from tests.hand_clock import HandClock

POLICY = RecallPolicy(minimum_score=0.1, minimum_meaning=0.0)
LIGHT = "convert the height of the lighthouse to feet"


async def told(db: Database, recall: Recall, text: str, **policy: float) -> list[str]:
    chosen = replace(POLICY, **policy)  # type: ignore[arg-type]
    return [one.exchange.request for one in await recall.find("ada", text, chosen)]


async def say(db: Database, *requests: str, user: str = "ada", at: str = "") -> None:
    for number, text in enumerate(requests):
        run = f"{user} {at} {number}"
        await db.memory.add(run, user, f"s{number}", text, f"answer {number}", "done")


@pytest.fixture
def recall(db: Database, embedder: HashedEmbedder, clock: HandClock) -> Recall:
    return Recall(db, embedder, clock)


async def test_nothing_was_said(db: Database, recall: Recall) -> None:
    assert await told(db, recall, LIGHT) == []


async def test_the_nearest_comes_first_and_no_more_than_asked(db: Database, recall: Recall) -> None:
    await say(db, "sort the table by name", LIGHT, "the height of the tower", "what is a prime")
    found = await told(db, recall, "what did I ask about the height of the lighthouse?")
    assert found[0] == LIGHT and "what is a prime" not in found
    assert await told(db, recall, "the height of the lighthouse", recalled=1) == [LIGHT]


async def test_what_is_not_near_enough_stays_away(db: Database, recall: Recall) -> None:
    await say(db, LIGHT)
    (one,) = await recall.find("ada", LIGHT, POLICY)
    assert one.meaning is not None and 0 < one.score <= 1.01
    assert await told(db, recall, LIGHT, minimum_score=one.score + 0.01) == []
    assert await told(db, recall, LIGHT, minimum_score=one.score - 0.01) == [LIGHT]
    assert await told(db, recall, LIGHT, minimum_meaning=one.meaning + 0.01) == []
    assert await told(db, recall, LIGHT, minimum_meaning=one.meaning - 0.01) == [LIGHT]


async def test_meaning_and_words_count_by_their_shares(db: Database, recall: Recall) -> None:
    await say(db, LIGHT)
    question = "the height of the lighthouse in inches"
    only = [
        (await recall.find("ada", question, replace(POLICY, meaning_share=m, words_share=w)))[0]
        for m, w in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 2.0))
    ]
    meaning, words, both, twice = (one.score for one in only)
    assert meaning == pytest.approx(only[0].meaning)
    assert both == pytest.approx((meaning + words) / 2) and both == pytest.approx(twice)


async def test_what_is_at_hand_does_not_come_again(db: Database, recall: Recall) -> None:
    await say(db, LIGHT)
    (one,) = await recall.find("ada", LIGHT, POLICY)
    assert await recall.find("ada", LIGHT, POLICY, without=[one.exchange.id]) == []


async def test_the_same_question_comes_once_as_it_was_answered_last(
    db: Database, recall: Recall
) -> None:
    await say(db, LIGHT, LIGHT.upper(), f"  {LIGHT} ")
    (one,) = await recall.find("ada", LIGHT, POLICY)
    assert one.exchange.answer == "answer 2"


async def test_of_two_alike_the_newer_one_comes_first_and_age_ends_somewhere(
    db: Database, recall: Recall, clock: HandClock
) -> None:
    await say(db, "height of the lighthouse one", at="old")
    clock.forward(days=3_000)
    await say(db, "height of the lighthouse two", at="new")
    text = "height of the lighthouse"
    assert await told(db, recall, text) == [
        "height of the lighthouse two",
        "height of the lighthouse one",
    ]
    near = "height of the lighthouse one"  # nearer, and old
    assert (await told(db, recall, near))[0] == near
    # Of more than can be looked at, age decides which: those ten beside what is wanted.
    await say(db, *(f"the {n} lighthouse" for n in range(20)), at="many")
    first = await told(db, recall, near, oldest_share=0.999, recalled=1)
    assert first == [near] != await told(db, recall, near, oldest_share=0.0, recalled=1)


async def test_another_person_has_another_memory(db: Database, recall: Recall) -> None:
    await say(db, LIGHT, user="bob")
    assert await told(db, recall, LIGHT) == []


async def test_words_alone_where_nothing_can_be_embedded(
    db: Database, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(db, LIGHT, "what is a prime")
    bare = Recall(db, None, clock)
    (one,) = await bare.find("ada", LIGHT, POLICY)
    assert one.exchange.request == LIGHT and one.meaning is None
    assert one.score == pytest.approx(1.0)

    async def gone(self: HashedEmbedder, texts: object) -> list[list[float]]:
        raise ModelUnavailable("it is gone")

    monkeypatch.setattr(HashedEmbedder, "embed", gone)
    failing = Recall(db, HashedEmbedder(256), clock)
    assert [one.meaning for one in await failing.find("ada", LIGHT, POLICY)] == [None]
    await failing.close()


async def test_what_is_forgotten_is_read_anew(db: Database, recall: Recall) -> None:
    await say(db, LIGHT)
    assert await told(db, recall, LIGHT) == [LIGHT]
    await recall.forget("ada")
    await recall.forget("nobody")
    assert await told(db, recall, LIGHT) == [LIGHT]


async def test_many_are_embedded_in_the_background(db: Database, recall: Recall) -> None:
    await say(db, *(f"number {n} of the lighthouse" for n in range(80)))
    assert len(await told(db, recall, "number 79 of the lighthouse")) == 3
    while recall._background:
        await next(iter(recall._background))
    assert not recall._shelves["ada"].texts
    assert (await told(db, recall, "number 3 of the lighthouse"))[0] == "number 3 of the lighthouse"
    await recall.close()
