"""One file, read: as text here, or by a parser in the sandbox."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from hammerstone.connectors import Connectors
from hammerstone.core.errors import HammerstoneError, Refused
from hammerstone.core.formatting import size
from hammerstone.core.seams import Sandbox
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.reading.folder_walk import FoundFile
from hammerstone.library.documents.reading.format_files import read_format
from hammerstone.library.documents.reading.plain_files import read_plain
from hammerstone.library.documents.reading.read_document import (
    ENDINGS,
    DocumentKind,
    DocumentState,
    ReadDocument,
)

OpenSandbox: TypeAlias = Callable[[], Awaitable[Sandbox]]
_PAGE = "page.read"
_IN_SANDBOX = (".pdf", ".docx", ".xlsx")


class DocumentReader:
    """Reads files, and pages through the connectors; nothing that is in them makes it raise."""

    def __init__(self, sandbox: OpenSandbox, connectors: Connectors) -> None:
        self._sandbox = sandbox
        self._connectors = connectors

    async def page(self, address: str) -> ReadDocument:
        """A web page; raises `Refused` where pages may not be read, and what the connector
        raises for one that does not answer."""
        if "page" not in self._connectors.names:
            raise Refused(
                "web pages are not read here",
                hint="set read_pages = true in the settings (docs/connectors.md)",
                rule="connectors",
            )
        text = str((await self._connectors.call(_PAGE, {"url": address})).value)
        if text.strip():
            return ReadDocument(DocumentKind.HTML, text)
        note = "the page shows no text"
        return ReadDocument(DocumentKind.HTML, state=DocumentState.NO_TEXT, note=note)

    async def digest(self, file: FoundFile) -> str:
        """The hash of a file's content; empty where it cannot be opened."""
        return await asyncio.to_thread(_digest, file.place)

    async def read(self, file: FoundFile, policy: DocumentPolicy) -> ReadDocument:
        """What is in a file; what keeps it from being read is its state."""
        kind = ENDINGS[file.place.suffix.lower()]
        if file.bytes > policy.max_file_bytes:
            note = f"{size(file.bytes)}, allowed are {size(policy.max_file_bytes)}"
            note += " (policy documents: max_file_bytes)"
            return ReadDocument(kind, state=DocumentState.TOO_LARGE, note=note)
        found = await self._read(kind, file, policy)
        if _stamp(file.place) == (file.bytes, file.modified_ns):
            return found
        # It changed meanwhile: once more, and what still changes waits for the next time.
        before = _stamp(file.place)
        found = await self._read(kind, file, policy)
        if before is not None and _stamp(file.place) == before:
            return found
        note = "it changed while it was read; it is read again with the next refresh"
        return ReadDocument(kind, state=DocumentState.CHANGING, note=note)

    async def _read(
        self, kind: DocumentKind, file: FoundFile, policy: DocumentPolicy
    ) -> ReadDocument:
        if file.place.suffix.lower() in _IN_SANDBOX:
            return await self._in_sandbox(kind, file.place, policy)
        try:
            content = await asyncio.to_thread(_head, file.place, policy.max_file_bytes)
        except OSError as error:
            note = f"it cannot be opened: {error.strerror}"
            return ReadDocument(kind, state=DocumentState.FAILED, note=note)
        found = await asyncio.to_thread(read_plain, kind, content, file.path)
        if len(found.text) > policy.max_text_chars:
            note = "its text is too long (policy documents: max_text_chars)"
            return ReadDocument(kind, state=DocumentState.TOO_LARGE, note=note)
        return found

    async def _in_sandbox(
        self, kind: DocumentKind, place: Path, policy: DocumentPolicy
    ) -> ReadDocument:
        try:
            if not await asyncio.to_thread(_head, place, 1):
                return ReadDocument(kind, state=DocumentState.EMPTY, note="there is nothing in it")
            return await read_format(kind, place, await self._sandbox(), policy)
        except OSError as error:
            note = f"it cannot be opened: {error.strerror}"
        except HammerstoneError as error:
            note = f"it is read in the sandbox, which cannot be used: {error.message}"
        return ReadDocument(kind, state=DocumentState.FAILED, note=note)


def _digest(place: Path) -> str:
    try:
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _head(place: Path, most: int) -> bytes:
    with place.open("rb") as file:
        return file.read(most + 1)


def _stamp(place: Path) -> tuple[int, int] | None:
    try:
        state = place.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
