"""Is this a request at all? Text and files are looked at before anything is spent on them."""

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from hammerstone.core.errors import BadRequest

LIMIT_BYTES = 100_000
FILE_LIMIT_BYTES = 50_000_000
_ALLOWED_CONTROLS = frozenset("\n\t")
_NEVER_SHOWN = frozenset("\ufeff\ufffe\uffff")


def check_request(
    text: str | bytes,
    attachments: Sequence[Path] = (),
    *,
    limit_bytes: int = LIMIT_BYTES,
    file_limit_bytes: int = FILE_LIMIT_BYTES,
) -> str:
    """The request, cleaned of what carries no meaning: line ends, outer space, a byte order mark.

    Raises `BadRequest` that says what is wrong and where.
    """
    # Measured first, so that an enormous request costs nothing but its reading.
    size = len(text)
    if size > limit_bytes:
        _too_long(size, limit_bytes)
    decoded = _decode(text) if isinstance(text, bytes) else text
    _check_characters(decoded)
    size = len(decoded.encode())
    if size > limit_bytes:
        _too_long(size, limit_bytes)
    clean = decoded.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
    if not any(char.isalnum() or unicodedata.category(char)[0] == "S" for char in clean):
        raise BadRequest(
            "the request is empty" if not clean else "the request has no words in it",
            hint='say what you need, for example: hammerstone ask "What is 17.5% of 240?"',
        )
    for path in attachments:
        _check_file(path, file_limit_bytes)
    return clean


def _too_long(size: int, limit_bytes: int) -> NoReturn:
    raise BadRequest(
        f"the request has {size:,} bytes; at most {limit_bytes:,} are read",
        hint="put long material into a file and attach it",
        size_bytes=size,
        limit_bytes=limit_bytes,
    )


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"the request is not text: byte {error.start} is not UTF-8",
            hint="attach the file instead, or convert the text to UTF-8",
            position=error.start,
        ) from None


def _check_characters(text: str) -> None:
    if text.isprintable():
        return
    for position, char in enumerate(text):
        if char in _ALLOWED_CONTROLS or char == "\r" or (char == "\ufeff" and position == 0):
            continue
        category = unicodedata.category(char)
        if category == "Cs":
            problem, hint = "half of a character (a lone surrogate)", "send the text as UTF-8"
        elif category == "Cc" or char in _NEVER_SHOWN:
            problem, hint = (
                f"the control character U+{ord(char):04X}",
                "attach binary data as a file",
            )
        else:
            continue
        raise BadRequest(
            f"the request is not plain text: {problem} at position {position}",
            hint=hint,
            position=position,
        )


def _check_file(path: Path, limit_bytes: int) -> None:
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        raise BadRequest(
            f"there is no file {path}", hint="check its name", path=str(path)
        ) from None
    if not path.is_file():
        raise BadRequest(f"{path} is not a file", hint="attach single files", path=str(path))
    if not os.access(path, os.R_OK):
        raise BadRequest(f"{path} cannot be read", hint="check its permissions", path=str(path))
    if size > limit_bytes:
        raise BadRequest(
            f"{path} has {size:,} bytes; at most {limit_bytes:,} are read",
            hint="attach a part of it",
            path=str(path),
            size_bytes=size,
            limit_bytes=limit_bytes,
        )
