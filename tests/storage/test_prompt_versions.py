"""Texts of prompts and their scores, on both databases."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hammerstone.core.prompt_versions import PromptOrigin, PromptScore, PromptVersion, text_hash
from hammerstone.storage import Database

NOW = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def version(text: str, name: str = "solve") -> PromptVersion:
    return PromptVersion(name, 0, text_hash(text), text, PromptOrigin.SEARCH, NOW, "parent", "why")


def score(text: str, id: str, mean: float, **more: object) -> PromptScore:
    made = PromptScore(id, "solve", text_hash(text), "own", "local", mean, NOW, {"a": mean}, 1.5, 7)
    return replace(made, **more)  # type: ignore[arg-type]


async def test_texts_are_numbered_for_each_prompt_and_kept_once(db: Database) -> None:
    first = await db.prompts.add(version("one"))
    second = await db.prompts.add(version("two"))
    again = await db.prompts.add(version("one"))
    other = await db.prompts.add(version("one", "kind"))
    assert (first.number, second.number, again.number, other.number) == (1, 2, 1, 1)
    assert await db.prompts.versions("solve") == [first, second]
    assert first.origin is PromptOrigin.SEARCH and first.created_at == NOW


async def test_scores_come_back_newest_first_and_go_with_their_text(db: Database) -> None:
    await db.prompts.add(version("one"))
    later = score("one", "b", 0.75, at=NOW + timedelta(minutes=1))
    assert await db.prompts.score(score("one", "a", 0.5), stored=True)
    assert await db.prompts.score(later, stored=True)
    assert await db.prompts.scores("solve") == [later, score("one", "a", 0.5)]
    assert await db.prompts.delete("solve", text_hash("one"))
    assert not await db.prompts.delete("solve", text_hash("one"))
    assert await db.prompts.scores("solve") == []


async def test_a_text_that_is_gone_gets_no_score(db: Database) -> None:
    assert not await db.prompts.score(score("one", "a", 0.5), stored=True)
    assert await db.prompts.score(score("one", "a", 0.5), stored=False)  # the shipped one
