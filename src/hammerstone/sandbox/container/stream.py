"""The attached socket of a container: raw bytes in, the engine's multiplexed frames out."""

import asyncio
import contextlib
import socket
import ssl
import struct
from collections import deque
from concurrent.futures import Executor
from typing import Any

_HEADER = struct.Struct(">BxxxI")
_STDOUT, _STDERR = 1, 2
_KEPT_STDERR = 64 << 10


class AttachedStream:
    """What the guest writes to its standard output, taken out of the engine's frames.

    An engine wraps what comes out in frames of its own: stream number, length, bytes. Their
    lengths are the engine's word, not the guest's, and pieces are handed on as they come.
    """

    def __init__(self, attached: Any, executor: Executor) -> None:
        self._attached = attached
        self._socket: socket.socket = getattr(attached, "_sock", attached)
        self._executor = executor
        self._threaded = isinstance(self._socket, ssl.SSLSocket) or not isinstance(
            self._socket, socket.socket
        )
        if not self._threaded:
            self._socket.setblocking(False)
        self._head = b""
        self._left = 0
        self._number = _STDOUT
        self._ready: deque[bytes] = deque()
        self.complaints = b""
        self.finished = False  # the container has closed its output, so it is ending by itself

    async def send(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        try:
            if self._threaded:
                await loop.run_in_executor(self._executor, self._socket.sendall, data)
            else:
                await loop.sock_sendall(self._socket, data)
        except OSError as error:
            raise ConnectionResetError(str(error)) from None

    async def receive(self) -> bytes:
        """The next bytes of standard output; b"" when the container has closed it."""
        loop = asyncio.get_running_loop()
        while not self._ready:
            try:
                if self._threaded:
                    data = await loop.run_in_executor(self._executor, self._socket.recv, 1 << 16)
                else:
                    data = await loop.sock_recv(self._socket, 1 << 16)
            except OSError as error:
                raise ConnectionResetError(str(error)) from None
            if not data:
                self.finished = True
                return b""
            self._take(data)
        return self._ready.popleft()

    def _take(self, data: bytes) -> None:
        while data:
            if not self._left:
                missing = _HEADER.size - len(self._head)
                self._head, data = self._head + data[:missing], data[missing:]
                if len(self._head) < _HEADER.size:
                    return
                self._number, self._left = _HEADER.unpack(self._head)
                self._head = b""
                continue
            piece, data = data[: self._left], data[self._left :]
            self._left -= len(piece)
            if self._number == _STDOUT:
                self._ready.append(piece)
            elif self._number == _STDERR and len(self.complaints) < _KEPT_STDERR:
                self.complaints += piece

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._socket.close()
        with contextlib.suppress(OSError):
            self._attached.close()
