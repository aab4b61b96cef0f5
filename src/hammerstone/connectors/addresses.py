"""Which addresses may be asked: never this machine or its network by a name from outside."""

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

from hammerstone.core.errors import Refused

# The part of the address space where hosts are; the rest is for groups, for single sites, or
# carries another address inside (NAT64, mapped and compatible ones).
_IPV6_HOSTS = ipaddress.ip_network("2000::/3")
# 6to4 and Teredo: they carry an IPv4 address, which may be an inner one.
_IPV6_CARRIERS = (ipaddress.ip_network("2002::/16"), ipaddress.ip_network("2001::/32"))


def is_public(place: str) -> bool:
    """Whether an IP address belongs to one host of the public net."""
    try:
        address = ipaddress.ip_address(place.partition("%")[0])
    except ValueError:
        return False
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if address.version == 4:
        return True
    return address in _IPV6_HOSTS and not any(address in net for net in _IPV6_CARRIERS)


async def public_place(address: str, *, allowed_hosts: tuple[str, ...] = ()) -> str | None:
    """Where an http(s) address leads in the public net; raises `Refused` for anywhere else.

    Every place its name resolves to is looked at. Whoever connects must use the one returned:
    asked again, the name may lead elsewhere. None for a host that the person allowed by name,
    which may be anywhere.
    """
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        raise _no_address(address, str(error)) from None
    if parts.scheme not in ("http", "https") or not host:
        raise _no_address(address)
    if parts.username or parts.password:
        raise Refused("an address with a password in it is not asked", rule="address")
    if host in allowed_hosts:
        return None
    port = port or (443 if parts.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        raise Refused(f"there is no host {host[:200]}", rule="address") from None
    places = [str(place[0]) for *_, place in found]
    if not places or not all(is_public(place) for place in places):
        raise Refused(
            f"{host} is inside this machine's network, or no single host of the public one",
            hint="allow it by name: page_hosts in the settings",
            rule="address",
        )
    return places[0]


def _no_address(address: str, why: str = "") -> Refused:
    return Refused(f"{address[:200]!r} is no web address", hint=why[:200], rule="address")
