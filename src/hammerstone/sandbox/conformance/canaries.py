"""Things put up on the host that an attack must not find, touch or reach."""

import asyncio
import contextlib
import fcntl
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

_SIOCGIFADDR = 0x8915  # the address of a network card


@contextlib.contextmanager
def secret_file(token: str, folder: Path | None = None, mode: int = 0o644) -> Iterator[Path]:
    """A file that holds the token, readable by everyone where the folder allows it."""
    parent = Path(tempfile.mkdtemp(prefix="canary-", dir=folder))
    parent.chmod(0o777)
    path = parent / "secret.txt"
    path.write_text(f"{token}\n")
    path.chmod(mode)
    try:
        yield path
    finally:
        for child in parent.iterdir():
            child.unlink()
        parent.rmdir()


@contextlib.contextmanager
def open_folder(token: str) -> Iterator[Path]:
    """A folder on the host that everyone may write to."""
    folder = Path(tempfile.mkdtemp(prefix=f"open-{token}-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        for child in folder.iterdir():
            child.unlink()
        folder.rmdir()


@contextlib.contextmanager
def bystander(token: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of this user with the token in its arguments, environment and memory."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "import time; time.sleep(120)", token],
        env={"CANARY": token},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class SocketListener:
    """Counts what reached a socket of the host."""

    def __init__(self, address: object) -> None:
        self.address = address
        self.heard: list[str] = []


@contextlib.asynccontextmanager
async def listening(family: int, kind: int, address: object) -> AsyncIterator[SocketListener]:
    """A socket of the host that notes every connection or datagram, and answers it."""
    with socket.socket(family, kind) as server:
        server.bind(address)  # type: ignore[arg-type]
        server.setblocking(False)
        if kind == socket.SOCK_STREAM:
            server.listen(8)
        ear = SocketListener(server.getsockname())
        loop = asyncio.get_running_loop()

        def on_readable() -> None:
            with contextlib.suppress(OSError):
                if kind == socket.SOCK_STREAM:
                    connection, peer = server.accept()
                    connection.close()
                else:
                    data, peer = server.recvfrom(4096)
                    server.sendto(b"answer:" + data, peer)
                ear.heard.append(str(peer))

        loop.add_reader(server.fileno(), on_readable)
        try:
            yield ear
            await asyncio.sleep(0)  # let a connection that just arrived be noticed
            on_readable()
        finally:
            loop.remove_reader(server.fileno())


def processes_named(token: str) -> list[int]:
    """Processes on the host whose name was set to the token (the kernel keeps 15 characters)."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            if (entry / "comm").read_text().strip() == token[:15]:
                found.append(int(entry.name))
    return found


async def leftover_processes(token: str, patience_s: float = 1.0) -> list[int]:
    """Processes named after the token that are still there after a moment; they are ended."""
    until = time.monotonic() + patience_s
    left = processes_named(token)
    while left and time.monotonic() < until:
        await asyncio.sleep(0.02)
        left = processes_named(token)
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, 9)
    return left


def host_addresses() -> list[str]:
    """Addresses of this machine's network cards, loopback left out."""
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # a card without an address
                request = struct.pack("256s", name.encode()[:15])
                answer = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, request)
                found.append(socket.inet_ntoa(answer[20:24]))
    return [address for address in found if not address.startswith("127.")]
