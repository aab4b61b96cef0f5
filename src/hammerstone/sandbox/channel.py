"""The host's ends of what a local guest inherits: a socket, and files for what it prints."""

import asyncio
import contextlib
import os
import socket

PRINTED_BYTES = 32 << 20  # more is never read, whatever a guest claims to have printed


class Channel:
    """A socket for the protocol and two anonymous files for stdout and stderr.

    The files live in memory charged to whoever writes them, so a guest's output counts against
    the guest's own limit, and what was printed before a kill can still be read.
    """

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._theirs: socket.socket | None = theirs
        self.stdout = os.memfd_create("stdout", os.MFD_CLOEXEC)
        self.stderr = os.memfd_create("stderr", os.MFD_CLOEXEC)

    @property
    def guest_fds(self) -> tuple[int, int, int]:
        """Socket, stdout, stderr: what the guest inherits."""
        assert self._theirs is not None
        return self._theirs.fileno(), self.stdout, self.stderr

    def handed_over(self) -> None:
        """Close our copy of the guest's end, so that its death is the end of the stream."""
        if self._theirs is not None:
            self._theirs.close()
            self._theirs = None

    async def send(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            sent = self._socket.send(data)
            if sent == len(data):
                return
            data = data[sent:]
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def receive(self) -> bytes:
        return await asyncio.get_running_loop().sock_recv(self._socket, 1 << 18)

    def printed(self, fd: int) -> bytes:
        size = os.fstat(fd).st_size
        return os.pread(fd, min(size, PRINTED_BYTES), 0) if size else b""

    def close(self) -> None:
        self.handed_over()
        self._socket.close()
        for fd in (self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                os.close(fd)
        self.stdout = self.stderr = -1


async def wait_readable(fd: int, timeout_s: float | None = None) -> bool:
    """Whether `fd` (a pidfd, for example) became readable in time."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(fd, wake)
    try:
        async with asyncio.timeout(timeout_s):
            await ready
        return True
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(fd)
