"""What a call prints, caught at the descriptor so that C code is caught too."""

import contextlib
import os
import sys


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
