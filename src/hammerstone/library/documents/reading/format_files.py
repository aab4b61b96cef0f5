"""PDF, Word and Excel files: parsed in the sandbox, never in this process.

A parser of a format is a large target, and the file is from anywhere. In the sandbox it has
no network, no other file, and limits on time and memory; what comes back is text.

A PDF has neither paragraphs nor headings, only lines at places. What can be told from the lines
alone: a line at the edge of most pages belongs to none of them, and numbers that count on (1, 1.1,
1.2, 2) before short lines are those of sections.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call, Failure, Limits, Outcome, Program
from hammerstone.core.seams import Sandbox
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.reading.plain_files import table_of
from hammerstone.library.documents.reading.read_document import (
    DocumentKind,
    DocumentState,
    ReadDocument,
)

_PDF = """
import json
import logging
import pypdf
logging.disable(logging.CRITICAL)
def read(path, most):
    reader = pypdf.PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        return json.dumps({"locked": True})
    pages, size = [], 0
    for page in reader.pages:
        text = page.extract_text() or ""
        size += len(text)
        if size > most:
            return json.dumps({"large": True})
        pages.append(text)
    title = (reader.metadata or {}).get("/Title") or ""
    return json.dumps({"pages": pages, "title": str(title)})
"""
_WORD = """
import json
import zipfile
import docx
from docx.table import Table
def read(path, most):
    if not zipfile.is_zipfile(path):
        head = open(path, "rb").read(8)
        return json.dumps({"locked": head == b"\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1"})
    if sum(part.file_size for part in zipfile.ZipFile(path).infolist()) > 20 * most:
        return json.dumps({"large": True})
    document = docx.Document(path)
    lines = []
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in part.rows]
            for number, row in enumerate(rows):
                lines.append("| " + " | ".join(row) + " |")
                if number == 0:
                    lines.append("|" + " --- |" * len(row))
            lines.append("")
            continue
        style = part.style.name if part.style is not None else ""
        text = part.text.strip()
        if style.startswith("Heading") and style[-1].isdigit() and text:
            text = "#" * int(style[-1]) + " " + text
        elif style == "Title" and text:
            text = "# " + text
        lines += [text, ""]
    title = document.core_properties.title or ""
    return json.dumps({"pages": ["\\n".join(lines)], "title": title})
"""
_BOOK = """
import json
import zipfile
import openpyxl
def read(path, most):
    if not zipfile.is_zipfile(path):
        head = open(path, "rb").read(8)
        return json.dumps({"locked": head == b"\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1"})
    if sum(part.file_size for part in zipfile.ZipFile(path).infolist()) > 50 * most:
        return json.dumps({"large": True})
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    sheets = []
    for sheet in book.worksheets[:20]:
        rows, total = [], 0
        for row in sheet.iter_rows(values_only=True):
            if any(cell is not None for cell in row):
                total += 1
                if len(rows) < 6:
                    rows.append(["" if cell is None else str(cell) for cell in row])
        sheets.append([sheet.title, rows, total])
    return json.dumps({"sheets": sheets})
"""
_PROGRAMS = {DocumentKind.PDF: _PDF, DocumentKind.WORD: _WORD, DocumentKind.TABLE: _BOOK}
_PACKAGES = {
    DocumentKind.PDF: "pypdf",
    DocumentKind.WORD: "python-docx",
    DocumentKind.TABLE: "openpyxl",
}


async def read_format(
    kind: DocumentKind, path: Path, sandbox: Sandbox, policy: DocumentPolicy
) -> ReadDocument:
    """A file of such a format as text; what keeps it from being read is a state, no exception."""
    limits = Limits(
        memory_bytes=policy.read_memory_bytes,
        cpu_share=1.0,
        wall_s=policy.read_seconds,
        output_bytes=4 * policy.max_text_chars,
    )
    name = "document" + path.suffix.lower()
    call = Call(args=(f"/files/{name}", policy.max_text_chars))
    program = Program(_PROGRAMS[kind], "read")
    outcome = await sandbox.call(program, call, limits=limits, files={name: path})
    if not outcome.ok:
        return _unread(kind, outcome)
    try:
        told: dict[str, Any] = json.loads(str(wire.decode(outcome.value)))
    except ValueError:
        return ReadDocument(kind, state=DocumentState.FAILED, note="it could not be read")
    return _read(kind, told)


def _read(kind: DocumentKind, told: dict[str, Any]) -> ReadDocument:
    if told.get("locked"):
        note = "it asks for a password: save a copy without one"
        return ReadDocument(kind, state=DocumentState.LOCKED, note=note)
    if "locked" in told:
        return ReadDocument(
            kind, state=DocumentState.FAILED, note="it is damaged or of another format"
        )
    if told.get("large"):
        note = "its text is too long (policy documents: max_text_chars)"
        return ReadDocument(kind, state=DocumentState.TOO_LARGE, note=note)
    if "sheets" in told:
        return table_of([(str(name), rows, int(total)) for name, rows, total in told["sheets"]])
    pages = [str(page) for page in told.get("pages", [])]
    if not any(page.strip() for page in pages):
        scanned = kind is DocumentKind.PDF and bool(pages)
        note = "its pages are pictures: no text in it" if scanned else "there is nothing in it"
        state = DocumentState.NO_TEXT if scanned else DocumentState.EMPTY
        return ReadDocument(kind, state=state, note=note)
    lines: list[str] = []
    starts: list[int] = []
    own = page_lines(pages) if kind is DocumentKind.PDF else [one.split("\n") for one in pages]
    for page in own:
        starts.append(len(lines) + 1)
        lines += [*page, ""]
    many = tuple(starts) if kind is DocumentKind.PDF else ()
    return ReadDocument(kind, "\n".join(lines), str(told.get("title", ""))[:200], pages=many)


def _unread(kind: DocumentKind, outcome: Outcome) -> ReadDocument:
    if outcome.failure is Failure.LOAD or outcome.error_type in (
        "ImportError",
        "ModuleNotFoundError",
    ):
        note = f"such files need {_PACKAGES[kind]} in sandbox_packages"
    elif outcome.failure is Failure.TIMEOUT:
        note = "reading it took too long (policy documents: read_seconds)"
    elif outcome.failure is Failure.MEMORY:
        note = "reading it took too much memory (policy documents: read_memory_bytes)"
    else:
        note = f"it is damaged or of another format ({outcome.error_type or outcome.failure})"
    return ReadDocument(kind, state=DocumentState.FAILED, note=note)


_EDGE = 2  # lines at the top and at the bottom of a page
_LEAST_PAGES = 3
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(\S.*\S)\s*$")
_LONGEST = 90  # characters of a heading
_CONTENTS = re.compile(r"(?:\.\s?){3,}|\s\d{1,4}$")  # a line of a table of contents


def page_lines(pages: Sequence[str]) -> list[list[str]]:
    """The lines of each page of a PDF: without what stands on every page, with headings marked."""
    split = [page.split("\n") for page in pages]
    running = _running(split)
    bare = [_without(lines, running) for lines in split]
    marks = _headings([line for lines in bare for line in lines])
    at = 0
    found: list[list[str]] = []
    for lines in bare:
        own: list[str] = []
        for line in lines:
            if at in marks:
                own += ["", f"{'#' * marks[at]} {line.strip()}", ""]
            else:
                own.append(f" {line}" if line.startswith("#") else line)  # no heading here
            at += 1
        found.append(own)
    return found


def _edges(lines: Sequence[str]) -> list[int]:
    """The places of a page's first and last lines."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return list(dict.fromkeys([*filled[:_EDGE], *filled[-_EDGE:]]))


def _form(line: str) -> str:
    """A line whatever numbers it has: those of pages differ."""
    return re.sub(r"\d+", "0", " ".join(line.split()))


def _running(pages: Sequence[Sequence[str]]) -> set[str]:
    """The forms of lines that stand at the edges of most pages."""
    counts = Counter(form for lines in pages for form in {_form(lines[at]) for at in _edges(lines)})
    most = max(_LEAST_PAGES, len(pages) // 2 + 1)
    return {form for form, count in counts.items() if count >= most}


def _without(lines: Sequence[str], running: set[str]) -> list[str]:
    edges = {at for at in _edges(lines) if _form(lines[at]) in running}
    return [line for at, line in enumerate(lines) if at not in edges]


def _headings(lines: Sequence[str]) -> dict[int, int]:
    """The places of headings with their levels, where the numbers of sections count on."""
    found: dict[int, int] = {}
    before: tuple[int, ...] = ()
    for at, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match is None or len(line) > _LONGEST or _CONTENTS.search(line):
            continue
        number = tuple(int(part) for part in match[1].split("."))
        if number in _next(before) and not match[2].endswith((".", ",", ";", ":")):
            found[at] = len(number)
            before = number
    nested = any(level > 1 for level in found.values())
    return found if nested else {}  # else it may as well be a list


def _next(number: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The numbers that may follow one: the first below it, the next beside it or above."""
    if not number:
        return {(1,), (1, 1), (0,)}
    after = {(*number[:depth], number[depth] + 1) for depth in range(len(number))}
    return after | {(*number, 1), (*number, 0)}
