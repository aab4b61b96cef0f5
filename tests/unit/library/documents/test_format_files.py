"""What becomes of a PDF, Word or Excel file, by what its parser in the sandbox came to."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.reading.format_files import read_format
from hammerstone.library.documents.reading.read_document import (
    DocumentKind,
    DocumentState,
    ReadDocument,
)

PDF, WORD, TABLE = DocumentKind.PDF, DocumentKind.WORD, DocumentKind.TABLE
READ, EMPTY, NO_TEXT, LOCKED, TOO_LARGE, *_, FAILED = DocumentState
POLICY = replace(DocumentPolicy(), max_text_chars=500, read_seconds=7.0, read_memory_bytes=1 << 20)


@dataclass
class ToldSandbox:
    """A sandbox in which every parser comes to the same."""

    outcome: Outcome
    calls: list[tuple[Program, Call, Limits, Mapping[str, Path]]] = field(default_factory=list)
    backend: str = "told"

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        self.calls.append((program, call, limits, files or {}))
        return self.outcome

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        raise AssertionError("a file is read by one call")

    async def close(self) -> None: ...


async def reading(kind: DocumentKind, outcome: Outcome, name: str = "a.pdf") -> ReadDocument:
    return await read_format(kind, Path("/docs") / name, ToldSandbox(outcome), POLICY)


async def told(kind: DocumentKind, **document: Any) -> ReadDocument:
    return await reading(kind, Outcome(json.dumps(document)))


async def test_pages_of_a_pdf_are_lines_and_each_begins_somewhere() -> None:
    found = await told(PDF, pages=["One.\nTwo.", "Three."], title="Rules" * 100)
    assert found.text == "One.\nTwo.\n\nThree.\n"
    assert (found.state, found.note, found.pages) == (READ, "", (1, 4))
    assert found.title == ("Rules" * 100)[:200]


async def test_a_word_file_has_no_pages() -> None:
    found = await told(WORD, pages=["# Rules\n\nOne."])
    assert (found.text, found.pages, found.title) == ("# Rules\n\nOne.\n", (), "")


async def test_a_book_is_tables() -> None:
    found = await told(TABLE, sheets=[["Prices", [["name", "price"], ["tea", "3"]], 2]])
    assert found.kind is TABLE and found.state is READ
    assert "Prices" in found.text and "tea" in found.text and "price" in found.text


@pytest.mark.parametrize(
    ("kind", "document", "state", "note"),
    [
        (PDF, {"locked": True}, LOCKED, "it asks for a password"),
        (PDF, {"pages": ["x"]}, READ, ""),
        (WORD, {"locked": False}, FAILED, "damaged"),
        (WORD, {"large": True}, TOO_LARGE, "max_text_chars"),
        (PDF, {"pages": []}, EMPTY, "there is nothing in it"),
        (PDF, {"pages": ["", " \n"]}, NO_TEXT, "its pages are pictures"),
        (WORD, {"pages": ["", " \n"]}, EMPTY, "there is nothing in it"),
        (WORD, {}, EMPTY, "there is nothing in it"),
    ],
)
async def test_what_keeps_a_file_from_being_read_is_a_state(
    kind: DocumentKind, document: dict[str, Any], state: DocumentState, note: str
) -> None:
    found = await told(kind, **document)
    assert (found.kind, found.state) == (kind, state)
    assert note in found.note and bool(found.note) is (state is not READ)


@pytest.mark.parametrize(
    ("kind", "failure", "error_type", "note"),
    [
        (PDF, Failure.LOAD, "ModuleNotFoundError", "such files need pypdf in sandbox_packages"),
        (WORD, Failure.RAISED, "ModuleNotFoundError", "such files need python-docx"),
        (TABLE, Failure.RAISED, "ImportError", "such files need openpyxl"),
        (PDF, Failure.TIMEOUT, "", "read_seconds"),
        (PDF, Failure.MEMORY, "", "read_memory_bytes"),
        (PDF, Failure.RAISED, "PdfReadError", "damaged or of another format (PdfReadError)"),
        (PDF, Failure.LOST, "", f"damaged or of another format ({Failure.LOST})"),
    ],
)
async def test_a_parser_that_fails_is_told(
    kind: DocumentKind, failure: Failure, error_type: str, note: str
) -> None:
    found = await reading(kind, Outcome(None, failure, error_type))
    assert (found.kind, found.state, found.text) == (kind, FAILED, "")
    assert note in found.note


async def test_a_reply_that_is_none_fails_the_file_and_nothing_else() -> None:
    found = await reading(PDF, Outcome("no json"))
    assert (found.state, found.note) == (FAILED, "it could not be read")


async def test_the_parser_gets_the_file_alone_and_the_limits_of_the_policy() -> None:
    sandbox = ToldSandbox(Outcome(json.dumps({"pages": ["x"]})))
    path = Path("/docs/Annual Report.PDF")
    await read_format(PDF, path, sandbox, POLICY)
    ((program, call, limits, files),) = sandbox.calls
    assert files == {"document.pdf": path}
    assert call.args == ("/files/document.pdf", 500) and program.function == "read"
    assert (limits.wall_s, limits.memory_bytes, limits.output_bytes) == (7.0, 1 << 20, 2_000)
