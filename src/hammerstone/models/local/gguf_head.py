"""What a GGUF file says about itself: its first values, read without loading anything."""

import struct
from pathlib import Path
from typing import BinaryIO

from hammerstone.core.errors import BadRequest

_MAGIC = b"GGUF"
_TEXT = 8
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_MOST, _LONGEST = 200, 1 << 20  # values that are looked at, bytes of one


def read_head(path: Path) -> dict[str, str]:
    """The texts among a file's first values, such as `general.type`.

    Raises `BadRequest` for what is no GGUF file or is cut off.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise BadRequest(f"{path.name} is not a GGUF file")
            _version, _tensors, count = struct.unpack("<IQQ", _taken(file, 20))
            return _texts(file, min(count, _MOST))
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror}") from None
    except (struct.error, EOFError):
        raise BadRequest(f"{path.name} is cut off") from None


def _texts(file: BinaryIO, count: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for _ in range(count):
        key = _text(file)
        (kind,) = struct.unpack("<I", _taken(file, 4))
        if kind == _TEXT:
            found[key] = _text(file)
        elif kind in _SIZES:
            _taken(file, _SIZES[kind])
        else:
            break  # lists are words and their like, which come last
    return found


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _taken(file, 8))
    if length > _LONGEST:
        raise EOFError
    return _taken(file, length).decode("utf-8", "replace")


def _taken(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise EOFError
    return data
