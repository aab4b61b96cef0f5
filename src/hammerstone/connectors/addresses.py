"""Which addresses may be asked: never this machine or its network by a name from outside."""

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

from hammerstone.core.errors import Refused


async def public_place(address: str, *, allowed_hosts: tuple[str, ...] = ()) -> str | None:
    """Where an http(s) address leads in the public net; raises `Refused` for anywhere else.

    Every place its name resolves to is looked at. Whoever connects must use the one returned:
    asked again, the name may lead elsewhere. None for a host that the person allowed by name,
    which may be anywhere.
    """
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    if parts.scheme not in ("http", "https") or not host:
        raise Refused(f"{address[:200]!r} is no web address", rule="address")
    if parts.username or parts.password:
        raise Refused("an address with a password in it is not asked", rule="address")
    if host in allowed_hosts:
        return None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused(f"there is no host {host}", rule="address") from None
    places = [str(place[0]) for *_, place in found]
    for place in places:
        if not ipaddress.ip_address(place.partition("%")[0]).is_global:
            raise Refused(
                f"{host} is inside this machine's network",
                hint="allow it by name: page_hosts in the settings",
                rule="address",
            )
    return places[0]
