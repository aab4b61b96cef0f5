"""Files that a call left in its output folder, sent to the host."""

import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from hammerstone.sandbox.guest import protocol

_DEPTH = 4


def send_artifacts(folder: str, limits: Mapping[str, Any], nonce: bytes, sink: BinaryIO) -> None:
    """One frame a regular file, until there are more than allowed, which the host is told."""
    total = 0
    for count, (name, path, size) in enumerate(_files(folder, "", 0)):
        total += size
        sink_name = name.encode("utf-8", "replace")[:400]
        if count >= limits["artifact_count"] or total > limits["artifact_bytes"]:
            sink.write(protocol.pack(nonce, protocol.ARTIFACT, sink_name))
            return
        _send_file(path, sink_name, size, nonce, sink)


def _send_file(path: str, name: bytes, size: int, nonce: bytes, sink: BinaryIO) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        sink.write(protocol.HEADER.pack(nonce, protocol.ARTIFACT, len(name) + 1 + size))
        sink.write(name + b"\0")
        left = size
        while left:
            piece = os.read(fd, min(left, 1 << 20)) or b"\0" * min(left, 1 << 20)
            sink.write(piece)
            left -= len(piece)
    finally:
        os.close(fd)


def _files(folder: str, prefix: str, depth: int) -> Iterator[tuple[str, str, int]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if depth < _DEPTH:
                yield from _files(entry.path, f"{name}/", depth + 1)
            continue
        info = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(info.st_mode):
            yield name, entry.path, info.st_size
