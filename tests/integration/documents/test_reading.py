"""Documents read into a library: what is good, what is bad, and what changed."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.library.documents.documents import IngestStep
from hammerstone.library.documents.reading.file_reader import DocumentReader
from hammerstone.library.documents.reading.read_document import DocumentKind, ReadDocument
from tests.integration.engine import Script, scripted_engine

FILES = Path(__file__).parent / "files"


@pytest.fixture
async def hs(tmp_path: Path) -> AsyncIterator[Hammerstone]:
    async with scripted_engine(Script(), tmp_path / "data") as engine:
        yield engine


async def test_pdf_word_and_excel_files_are_read_in_the_sandbox(hs: Hammerstone) -> None:
    steps: list[IngestStep] = []
    report = await hs.documents.add(str(FILES), on_step=steps.append)
    read = [one.path for one in steps if one.path]
    assert read == sorted(one.name for one in FILES.iterdir()) and steps[0].of == len(read)
    states = {path: (state, why) for path, state, why in report.problems}
    assert states.keys() == {"scanned.pdf", "locked.pdf"}
    assert states["scanned.pdf"] == ("no text", "its pages are pictures: no text in it")
    assert states["locked.pdf"][0] == "locked" and "password" in states["locked.pdf"][1]
    (pump, *_) = await hs.documents.search("When does the warranty of the pump end?")
    assert (pump.path, pump.page) == ("manual.pdf", 2)
    assert pump.place == "manual.pdf, page 2" and "three years" in pump.quote
    (key, *_) = await hs.documents.search("What does a lost key cost?")
    assert key.path == "rules.docx" and key.section.endswith("Keys")
    (price, *_) = await hs.documents.search("price of an item")
    assert (price.path, price.kind) == ("prices.xlsx", "table")
    assert price.section.startswith("prices >")


async def test_only_what_changed_is_read_again(
    hs: Hammerstone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a", "b", "c"):
        (docs / f"{name}.md").write_text(f"# {name}\n\nThe {name} is here.\n")
    assert (await hs.documents.add(str(docs))).read == 3
    read: list[str] = []
    real = DocumentReader.read

    async def counted(self: DocumentReader, file: object, policy: object) -> ReadDocument:
        read.append(getattr(file, "path", ""))
        return await real(self, file, policy)  # type: ignore[arg-type]

    monkeypatch.setattr(DocumentReader, "read", counted)
    (docs / "a.md").write_text("# a\n\nThe zebra came.\n")
    os.utime(docs / "b.md")  # another time, the same content
    (docs / "c.md").unlink()
    (report,) = await hs.documents.refresh()
    assert (read, report.unchanged, report.forgotten) == (["a.md"], 1, 1)
    (found, *_) = await hs.documents.search("Who came? The zebra?")
    assert found.quote == "The zebra came."
    assert not any(one.path == "c.md" for one in await hs.documents.search("c is here"))
    assert await hs.documents.remove(str(docs)) == 2
    assert await hs.documents.list() == [] and await hs.documents.search("zebra") == []


async def test_what_cannot_be_read_is_a_state_and_no_error(hs: Hammerstone, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "good.md").write_text("# Good\n\nAll is well.\n")
    (docs / "empty.txt").write_text("")
    (docs / "binary.txt").write_bytes(b"\x00\x01" * 50)
    (docs / "old.txt").write_bytes("caf\u00e9".encode("cp1252"))
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (docs / "broken.docx").write_bytes(b"PK\x03\x04 nothing")
    for ending in ("docx", "xlsx"):  # with a password, Word and Excel write the old format around
        (docs / f"secret.{ending}").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 504)
    with (docs / "huge.log").open("wb") as file:
        file.truncate(2 << 30)
    report = await hs.documents.add(str(docs))
    states = {path: state for path, state, _ in report.problems}
    assert states == {
        "empty.txt": "empty",
        "binary.txt": "not text",
        "old.txt": "read",
        "broken.pdf": "failed",
        "broken.docx": "failed",
        "secret.docx": "locked",
        "secret.xlsx": "locked",
        "huge.log": "too large",
    }
    (why,) = [why for path, _, why in report.problems if path == "huge.log"]
    assert "max_file_bytes" in why
    assert len(await hs.documents.list()) == 9


async def test_a_file_that_keeps_changing_waits_for_the_next_refresh(
    hs: Hammerstone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "live.md"
    place.write_text("first")
    real = DocumentReader._read
    count = 0

    async def writing(self: DocumentReader, kind: DocumentKind, *more: object) -> ReadDocument:
        nonlocal count
        count += 1
        found = await real(self, kind, *more)  # type: ignore[arg-type]
        place.write_text(f"version {'x' * count}")
        return found

    monkeypatch.setattr(DocumentReader, "_read", writing)
    report = await hs.documents.add(str(place))
    assert report.problems[0][1] == "changing"
    monkeypatch.setattr(DocumentReader, "_read", real)
    (again,) = await hs.documents.refresh()
    assert (again.read, again.problems) == (1, ())


async def test_sources_that_are_none(hs: Hammerstone, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await hs.documents.add(str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadRequest, match="holds no document"):
        await hs.documents.add(str(tmp_path / "empty"))
    picture = tmp_path / "a.png"
    picture.write_bytes(b"x")
    with pytest.raises(BadRequest, match="a kind that is not read"):
        await hs.documents.add(str(picture))
    with pytest.raises(Refused, match="web pages are not read"):
        await hs.documents.add("https://example.org/page")
    with pytest.raises(NotFound):
        await hs.documents.remove("nothing")


async def test_a_person_sees_ones_own_and_everyones(hs: Hammerstone, tmp_path: Path) -> None:
    mine, shared = tmp_path / "mine.md", tmp_path / "shared.md"
    mine.write_text("The vault opens with marzipan.")
    shared.write_text("The office opens at nine.")
    await hs.documents.add(str(mine), "ada")
    await hs.documents.add(str(shared))
    assert [row.path for row in await hs.documents.list("ada")] == ["mine.md", "shared.md"]
    assert [row.path for row in await hs.documents.list("bob")] == ["shared.md"]
    found = await hs.documents.search("What does the vault open with?", "bob")
    assert [one.path for one in found] == ["shared.md"]
    (row,) = [one for one in await hs.documents.list("ada") if one.path == "mine.md"]
    with pytest.raises(NotFound):
        await hs.documents.get(row.id, "bob")
    assert [s.name for s in await hs.skills.list("bob")].count("documents") == 1
