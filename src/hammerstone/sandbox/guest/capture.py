"""What a call prints, caught at the descriptor so that C code is caught too."""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from hammerstone.sandbox.guest import protocol


class Capture:
    """Standard output or error as a file: read, then emptied, after each call.

    A file rather than a pipe, so that nobody has to drain it while the call runs, and what was
    printed before a kill can still be read by a host that holds the other end.
    """

    def __init__(self, number: int, fd: int | None) -> None:
        self._number = number
        if fd is None:
            import tempfile  # slow to load; only where the host could not hand files over

            with tempfile.TemporaryFile() as file:
                os.dup2(file.fileno(), number)
        elif fd != number:
            os.dup2(fd, number)
            os.close(fd)
        self._stream_name = "stdout" if number == 1 else "stderr"
        self._renew_stream()

    def _renew_stream(self) -> None:
        stream = open(  # noqa: SIM115 - lives as long as the process
            self._number, "w", encoding="utf-8", errors="backslashreplace", closefd=False
        )
        setattr(sys, self._stream_name, stream)
        setattr(sys, f"__{self._stream_name}__", stream)
        self._stream = stream

    def take(self, cap: int) -> tuple[bytes, bool]:
        """What was printed since the last time, cut at `cap`, and whether it was more."""
        for stream in {
            id(s): s for s in (getattr(sys, self._stream_name, None), self._stream)
        }.values():
            with contextlib.suppress(Exception):
                stream.flush()  # type: ignore[union-attr]
        if getattr(sys, self._stream_name, None) is not self._stream or self._stream.closed:
            self._renew_stream()
        try:
            size = os.fstat(self._number).st_size
            if size == 0:
                return b"", False
            text = os.pread(self._number, min(size, cap), 0)
            os.ftruncate(self._number, 0)
            os.lseek(self._number, 0, os.SEEK_SET)
        except OSError:  # the code closed or replaced the descriptor
            return b"", False
        return text, size > cap


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
