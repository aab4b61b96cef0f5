"""What reading a file or page gave."""

from dataclasses import dataclass
from enum import StrEnum


class DocumentKind(StrEnum):
    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    PDF = "pdf"
    WORD = "word"
    TABLE = "table"  # rows and columns: data for tools


def has_marks(kind: str) -> bool:
    """Whether the text of such a document is written with the marks of Markdown; a `*` of the
    others is a `*`."""
    return kind in (DocumentKind.MARKDOWN, DocumentKind.TEXT)


class DocumentState(StrEnum):
    """Whether a document can be searched; if not, why."""

    READ = "read"
    EMPTY = "empty"
    NO_TEXT = "no text"  # pictures of pages
    LOCKED = "locked"  # a password
    TOO_LARGE = "too large"
    NOT_TEXT = "not text"
    CHANGING = "changing"  # it changed while it was read
    FAILED = "failed"


ENDINGS = {
    ".md": DocumentKind.MARKDOWN,
    ".markdown": DocumentKind.MARKDOWN,
    ".mdx": DocumentKind.MARKDOWN,
    ".rst": DocumentKind.TEXT,
    ".adoc": DocumentKind.TEXT,
    ".txt": DocumentKind.TEXT,
    ".text": DocumentKind.TEXT,
    ".log": DocumentKind.TEXT,
    ".html": DocumentKind.HTML,
    ".htm": DocumentKind.HTML,
    ".xhtml": DocumentKind.HTML,
    ".pdf": DocumentKind.PDF,
    ".docx": DocumentKind.WORD,
    ".xlsx": DocumentKind.TABLE,
    ".csv": DocumentKind.TABLE,
    ".tsv": DocumentKind.TABLE,
}


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as lines of text. `pages` are the lines at which its pages begin."""

    kind: DocumentKind
    text: str = ""
    title: str = ""
    state: DocumentState = DocumentState.READ
    note: str = ""
    pages: tuple[int, ...] = ()
