"""Which addresses may be asked: never this machine or its network by a name from outside."""

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

from hammerstone.core.errors import Refused


async def refuse_inner(address: str, *, allowed_hosts: tuple[str, ...] = ()) -> None:
    """Raise `Refused` unless the address is http(s) and leads to the public net.

    Every address its name resolves to is looked at; a host that the person allowed by name may
    be anywhere.
    """
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    if parts.scheme not in ("http", "https") or not host:
        raise Refused(f"{address[:200]!r} is no web address", rule="address")
    if parts.username or parts.password:
        raise Refused("an address with a password in it is not asked", rule="address")
    if host in allowed_hosts:
        return
    port = parts.port or (443 if parts.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused(f"there is no host {host}", rule="address") from None
    for *_, place in found:
        if not ipaddress.ip_address(str(place[0]).partition("%")[0]).is_global:
            raise Refused(
                f"{host} is inside this machine's network",
                hint="allow it by name: page_hosts in the settings",
                rule="address",
            )
