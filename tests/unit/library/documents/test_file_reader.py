"""One file read: what keeps it from being read is its state, and nothing raises."""

import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.errors import Refused, SandboxLost
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.reading import file_reader
from hammerstone.library.documents.reading.file_reader import DocumentReader
from hammerstone.library.documents.reading.folder_walk import FoundFile
from hammerstone.library.documents.reading.read_document import DocumentKind, DocumentState

POLICY = DocumentPolicy()


class Pages:
    """Connectors that read a page, or none at all."""

    def __init__(self, *names: str, text: str = "") -> None:
        self.names, self.text = names, text

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        assert (name, arguments) == ("page.read", {"url": "https://example.org"})
        return SimpleNamespace(value=self.text)


async def no_sandbox() -> Any:
    raise SandboxLost("bwrap is not there")


def reader(pages: Pages | None = None) -> DocumentReader:
    return DocumentReader(no_sandbox, cast(Any, pages or Pages()))


def file(folder: Path, name: str, content: bytes = b"Some words.") -> FoundFile:
    place = folder / name
    place.write_bytes(content)
    state = place.stat()
    return FoundFile(name, place, state.st_size, state.st_mtime_ns)


async def test_a_text_is_read(tmp_path: Path) -> None:
    found = await reader().read(file(tmp_path, "a.md"), POLICY)
    assert (found.state, found.text.strip()) == (DocumentState.READ, "Some words.")


@pytest.mark.parametrize(("over", "state"), [(0, DocumentState.READ), (1, DocumentState.TOO_LARGE)])
async def test_sizes_are_limits_that_may_be_reached(
    tmp_path: Path, over: int, state: DocumentState
) -> None:
    one = file(tmp_path, "a.txt", b"12345678")
    by_bytes = await reader().read(one, replace(POLICY, max_file_bytes=8 - over))
    assert by_bytes.state is state
    assert ("max_file_bytes" in by_bytes.note) == bool(over)
    text = (await reader().read(one, POLICY)).text
    by_text = await reader().read(one, replace(POLICY, max_text_chars=len(text) - over))
    assert by_text.state is state
    assert ("max_text_chars" in by_text.note) == bool(over)


async def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    one = file(tmp_path, "a.txt")
    one.place.unlink()
    found = await reader().read(one, POLICY)
    assert found.state is DocumentState.CHANGING
    assert await reader().digest(one) == ""


async def test_a_digest_is_that_of_the_content(tmp_path: Path) -> None:
    one = file(tmp_path, "a.txt", b"abc")
    assert await reader().digest(one) == hashlib.sha256(b"abc").hexdigest()


@pytest.mark.parametrize(
    ("changes", "state"), [(1, DocumentState.READ), (2, DocumentState.CHANGING)]
)
async def test_a_file_that_changes_is_read_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int, state: DocumentState
) -> None:
    one, left = file(tmp_path, "a.txt", b"old"), [changes]
    read = file_reader.read_plain

    def while_it_grows(*given: Any) -> Any:
        found = read(*given)
        if left[0]:
            left[0] -= 1
            one.place.write_bytes(b"new words " * (changes - left[0]))
        return found

    monkeypatch.setattr(file_reader, "read_plain", while_it_grows)
    found = await reader().read(one, POLICY)
    assert found.state is state
    assert found.text.strip() == ("new words" if state is DocumentState.READ else "")


async def test_formats_need_the_sandbox_unless_the_file_is_empty(tmp_path: Path) -> None:
    empty = await reader().read(file(tmp_path, "a.pdf", b""), POLICY)
    assert (empty.kind, empty.state) == (DocumentKind.PDF, DocumentState.EMPTY)
    full = await reader().read(file(tmp_path, "b.pdf", b"%PDF"), POLICY)
    assert full.state is DocumentState.FAILED
    assert full.note == "it is read in the sandbox, which cannot be used: bwrap is not there"


async def test_a_page_is_read_where_pages_may_be_read() -> None:
    words = await reader(Pages("page", text="Words.")).page("https://example.org")
    assert (words.kind, words.state, words.text) == (
        DocumentKind.HTML, DocumentState.READ, "Words.",
    )  # fmt: skip
    silent = await reader(Pages("page", text=" \n")).page("https://example.org")
    assert (silent.state, silent.text) == (DocumentState.NO_TEXT, "")
    with pytest.raises(Refused, match="not read here"):
        await reader(Pages("web")).page("https://example.org")
