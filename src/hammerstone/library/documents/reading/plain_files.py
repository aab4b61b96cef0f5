"""Text, Markdown, HTML and comma-separated files: read here, in time that grows with their size."""

import codecs
import csv
import html
import io
import re

from hammerstone.connectors.page_text import page_lines
from hammerstone.library.documents.reading.read_document import (
    DocumentKind,
    DocumentState,
    ReadDocument,
)

_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?\s*([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_LOOKED_AT = 64 << 10
_SHOWN_ROWS = 5
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Text of other times: what is no UTF-8 is read as this, as browsers do, and said so.
_OTHERWISE = "cp1252"
WRONG_LETTERS = "not UTF-8: read as Windows-1252, so some letters may be wrong"


def read_plain(kind: DocumentKind, content: bytes, name: str) -> ReadDocument:
    """A file that needs no parser of a format; never raises."""
    text, note = decoded(content, html=kind is DocumentKind.HTML)
    if text is None:
        return ReadDocument(kind, state=DocumentState.NOT_TEXT, note="it holds bytes, not text")
    if not text.strip():
        return ReadDocument(kind, state=DocumentState.EMPTY, note="there is nothing in it")
    if kind is DocumentKind.HTML:
        found = _TITLE.search(text[:_LOOKED_AT])
        title = " ".join(html.unescape(found[1]).split()) if found else ""
        lines = page_lines(text)
        if not lines.strip():
            return ReadDocument(kind, state=DocumentState.NO_TEXT, note="the page shows no text")
        return ReadDocument(kind, lines, title, note=note)
    if kind is DocumentKind.TABLE:
        return table_of(_rows(text, name), note)
    return ReadDocument(kind, text.replace("\r\n", "\n").replace("\r", "\n"), note=note)


def decoded(content: bytes, *, html: bool = False) -> tuple[str | None, str]:
    """Bytes as text, and what to know about it; no text for what is none."""
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return content.decode(codec, "replace"), ""
    if b"\0" in content[:_LOOKED_AT]:
        return None, ""
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError:
        pass
    named = _CHARSET.search(content[:2048]) if html else None
    if named is not None:
        try:
            return content.decode(named[1].decode("ascii"), "replace"), ""
        except LookupError:
            pass
    return content.decode(_OTHERWISE, "replace"), WRONG_LETTERS


def _rows(text: str, name: str) -> list[tuple[str, list[list[str]], int]]:
    """The one sheet of a comma-separated file: its name, first rows, and how many there are."""
    first = text[: text.find("\n")] if "\n" in text else text
    counts = {mark: first.count(mark) for mark in ",;\t"}
    delimiter = "\t" if name.lower().endswith(".tsv") else max(counts, key=lambda m: counts[m])
    shown: list[list[str]] = []
    total = 0
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            if any(cell.strip() for cell in row):
                total += 1
                if len(shown) <= _SHOWN_ROWS:
                    shown.append(row)
    except csv.Error:
        pass  # what was read until here is shown
    return [("", shown, total)]


def table_of(sheets: list[tuple[str, list[list[str]], int]], note: str = "") -> ReadDocument:
    """Tables by what they are about: columns, how many rows, the first of them.

    The rows themselves stay in the file, where a program computes with them.
    """
    lines: list[str] = []
    for name, rows, total in sheets:
        if not rows:
            continue
        heading = f"Table {name}".strip()
        lines += [f"# {heading}", "", f"{max(0, total - 1)} rows. Columns: {', '.join(rows[0])}."]
        lines += ["", _row(rows[0]), _row(["---"] * len(rows[0])), *map(_row, rows[1:]), ""]
    if not lines:
        return ReadDocument(DocumentKind.TABLE, state=DocumentState.EMPTY, note="no rows in it")
    return ReadDocument(DocumentKind.TABLE, "\n".join(lines), note=note)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split())[:80] for cell in cells[:40]) + " |"
