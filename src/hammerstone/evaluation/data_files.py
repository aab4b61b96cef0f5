"""Files of data as evaluations read them: JSON, or JSON a line, plain or packed with gzip."""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest

_PACKED = b"\x1f\x8b"
# What reading a file raises that holds something else than was expected.
_NOT_AS_EXPECTED = (
    OSError, EOFError, zlib.error, ValueError, KeyError, IndexError, TypeError, AttributeError,
    SyntaxError,
)  # fmt: skip


@contextmanager
def reading(path: Path, problem: str, hint: str = "") -> Iterator[None]:
    """A block that reads a file; what it stumbles over becomes `BadRequest`."""
    try:
        yield
    except _NOT_AS_EXPECTED as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        told = why or type(error).__name__
        raise BadRequest(f"{path} {problem}: {told}"[:300], hint=hint) from None


def read_text(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if raw.startswith(_PACKED) else raw).decode("utf-8")


def read_json(path: Path) -> Any:
    return json.loads(read_text(path))


def read_lines(path: Path) -> Iterator[Any]:
    """The documents of a file, one from each line that is not empty."""
    return map(json.loads, filter(str.strip, read_text(path).split("\n")))
