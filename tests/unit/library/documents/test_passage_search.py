"""Passages for a question: what they are, where they stand, and whose they are."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.core.errors import ModelUnavailable
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.passage_search import PassageSearch
from hammerstone.library.policies import Policies
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from hammerstone.storage.stores.library.documents import ChunkRow, DocumentRow
from tests.storage.samples import NOW

MANUAL = """\
Every server has a port. The port of the server is 8080.

## Names

The name of the printer is Ada.
It prints on both sides.

### Paper

Paper lies in the lower tray."""


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open_url(f"sqlite:///{tmp_path}/library.db")
    yield database
    await database.close()


async def add(
    db: Database, text: str, path: str = "manual.md", tenant: str = "", section: str = "Manual"
) -> list[int]:
    row = DocumentRow(
        tenant,
        f"/docs/{tenant}",
        path,
        "Manual",
        "markdown",
        "read",
        "",
        path,
        len(text),
        0,
        1,
        NOW,
    )
    return await db.documents.put(row, [ChunkRow(0, section, text, 5, page=2)])


def searching(db: Database, embedder: HashedEmbedder | None = None) -> PassageSearch:
    return PassageSearch(db, embedder, Policies(db, (DocumentPolicy,)))


async def test_the_best_passage_says_where_it_stands(db: Database) -> None:
    await add(db, MANUAL)
    first, *others = await searching(db).find("What is the name of the printer?", [""])
    assert first.text == "## Names\n\nThe name of the printer is Ada.\nIt prints on both sides."
    assert (first.path, first.line, first.page) == ("manual.md", 7, 2)
    assert first.section == "Manual > Names"
    assert [one.text for one in first.sentences] == [
        "The name of the printer is Ada.",
        "It prints on both sides.",
    ]
    assert first.scores[0] > first.scores[1] and first.score == max(first.scores)
    assert first.meaning is None and 0 < first.words <= 1 and first.past == 0
    assert all(one.score <= first.score for one in others)


@pytest.mark.parametrize(
    ("question", "section", "line"),
    [
        ("Which port does every server have?", "Manual", 5),
        ("Where does paper lie?", "Manual > Names > Paper", 12),
    ],
)
async def test_a_section_is_the_headings_above(
    db: Database, question: str, section: str, line: int
) -> None:
    await add(db, MANUAL)
    first = (await searching(db).find(question, [""]))[0]
    assert (first.section, first.line) == (section, line)


async def test_nothing_is_found_where_nothing_is_asked_or_there(db: Database) -> None:
    search = searching(db)
    assert await search.find("the printer", [""]) == []
    await add(db, MANUAL)
    assert await search.find("  ", [""]) == []
    assert await search.find("the printer", [""], 0) == []
    assert len(await search.find("the printer", [""], 2)) == 2
    assert await search.find("the printer", [""], source="/elsewhere") == []
    assert await search.find("the printer", [""], source="/docs/")


async def test_people_see_their_own_and_everyones(db: Database) -> None:
    await add(db, "The printer is red.", "all.md")
    await add(db, "The printer is green.", "ada.md", tenant="ada")
    await add(db, "The printer is blue.", "bob.md", tenant="bob")
    search = searching(db)
    for tenants, seen in ((["", "ada"], {"all.md", "ada.md"}), ([""], {"all.md"})):
        assert {one.path for one in await search.find("the printer", tenants)} == seen


async def test_what_comes_and_goes_is_noticed(db: Database) -> None:
    search = searching(db)
    await add(db, "The printer is red.", "a.md")
    assert len(await search.find("the printer", [""])) == 1
    await add(db, "The printer is old.", "b.md")
    assert len(await search.find("the printer", [""])) == 2
    await add(db, "The scanner is new.", "a.md")  # in the place of what it said
    texts = [one.text for one in await search.find("the printer", [""])]
    assert texts[0] == "The printer is old." and "The printer is red." not in texts
    (row,) = [one for one in await db.documents.list([""]) if one.path == "b.md"]
    await db.documents.remove([row.id])
    assert [one.path for one in await search.find("the printer", [""])] == ["a.md"]


async def test_meaning_counts_once_there_are_vectors(db: Database) -> None:
    search = searching(db, HashedEmbedder(256))
    await add(db, MANUAL)
    before = (await search.find("the name of the printer", [""]))[0]
    assert before.meaning is None
    told: list[int] = []
    assert await search.embed_missing(told.append) == 1 and told == [1]
    assert await search.embed_missing() == 0
    after = (await search.find("the name of the printer", [""]))[0]
    assert after.text == before.text and after.meaning is not None
    assert after.score == pytest.approx(before.score + after.meaning, abs=1e-4)
    assert await searching(db).embed_missing() == 0


async def test_an_answer_given_before_lifts_its_chunk(db: Database) -> None:
    search = searching(db, HashedEmbedder(256))
    (chunk,) = await add(db, "The colour of the printer is red.", "a.md")
    await add(db, "The colour of the scanner is red.", "b.md")
    await search.embed_missing()
    question = "Which colour has the thing in the hall?"
    plain = {one.path: one.score for one in await search.find(question, ["", "ada"])}
    await db.documents.note_answer("ada", chunk, question)
    lifted = {one.path: one for one in await search.find(question, ["", "ada"])}
    assert lifted["a.md"].past > 0 == lifted["b.md"].past
    assert lifted["a.md"].score == pytest.approx(plain["a.md"] + lifted["a.md"].past)
    other = {one.path: one.past for one in await search.find(question, ["", "bob"])}
    assert other == {"a.md": 0, "b.md": 0}


async def test_an_embedder_that_fails_leaves_words(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = searching(db, HashedEmbedder(256))
    await add(db, MANUAL)
    await search.embed_missing()

    async def gone(self: HashedEmbedder, texts: object) -> list[list[float]]:
        raise ModelUnavailable("it is gone")

    monkeypatch.setattr(HashedEmbedder, "embed", gone)
    first = (await search.find("the name of the printer", [""]))[0]
    assert first.meaning is None and "Ada" in first.text
