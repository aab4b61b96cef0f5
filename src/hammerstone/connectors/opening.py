"""The connectors that the settings name, and everything they offer."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TypeAlias

from hammerstone.connectors.connector import Connector, ConnectorResult, Offer, ServiceDown
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.json_types import Json
from hammerstone.core.settings import Settings
from hammerstone.tracing import span
from hammerstone.tracing.warn import warn

_FRESH_S = 300.0


Watch: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Around each call outside: refuses to begin, or ends what is under way."""


class Connectors:
    """By name. A connector that cannot be reached offers nothing and says so once.

    Nothing reaches outside but under the `watch`.
    """

    def __init__(self, connectors: Sequence[Connector], watch: Watch = nullcontext) -> None:
        self._watch = watch
        self._by_name = {connector.name: connector for connector in connectors}
        self._offers: dict[str, tuple[float, list[Offer]]] = {}
        self._asking = asyncio.Lock()

    @property
    def names(self) -> list[str]:
        return list(self._by_name)

    def get(self, name: str) -> Connector:
        if name not in self._by_name:
            raise NotFound(f"there is no connector {name!r}", hint="hammerstone connectors list")
        return self._by_name[name]

    def __bool__(self) -> bool:
        return bool(self._by_name)

    async def offers(self) -> list[Offer]:
        """Everything that can be reached now; asked anew every few minutes."""
        async with self._asking:
            found = await asyncio.gather(*(self._of(name) for name in self._by_name))
        return [offer for offers in found for offer in offers]

    async def offer(self, name: str) -> Offer:
        """One by its full name, `connector.operation`; raises `NotFound`."""
        self.get(name.partition(".")[0])
        for offer in await self.offers():
            if offer.name == name:
                return offer
        raise NotFound(f"nothing offers {name!r}", hint="hammerstone connectors list")

    async def call(self, name: str, arguments: Mapping[str, Json]) -> ConnectorResult:
        """Ask the outside. Whoever calls has asked for leave and stands behind a breaker."""
        connector, _, operation = name.partition(".")
        with span(f"connector {name}", kind="tool", input=dict(arguments)) as traced:
            async with self._watch():
                found = await self.get(connector).call(operation, arguments)
            traced.set("hammerstone.connector", connector)
            traced.output = found.value
            return found

    async def check(self) -> dict[str, str]:
        """Each connector and what is wrong with it; empty when nothing is."""
        problems: dict[str, str] = {}
        for name, connector in self._by_name.items():
            try:
                async with self._watch():
                    await connector.offers()
                problems[name] = ""
            except HammerstoneError as error:
                problems[name] = error.message
        return problems

    async def close(self) -> None:
        await asyncio.gather(
            *(connector.close() for connector in self._by_name.values()), return_exceptions=True
        )

    async def _of(self, name: str) -> list[Offer]:
        now = asyncio.get_running_loop().time()
        at, offers = self._offers.get(name, (now - _FRESH_S, []))
        if now - at < _FRESH_S:
            return offers
        try:
            async with self._watch():
                offers = await self._by_name[name].offers()
        except ServiceDown as error:
            warn("a connector cannot be reached", connector=name, error=error.message)
            offers = []
        self._offers[name] = (now, offers)
        return offers


def open_connectors(settings: Settings, watch: Watch = nullcontext) -> Connectors:
    """Nothing is started or reached before it is asked for something."""
    found: list[Connector] = []
    if settings.mcp_servers:
        from hammerstone.connectors.mcp import McpConnector

        found += [McpConnector(name, server) for name, server in settings.mcp_servers.items()]
    if settings.http_services:
        from hammerstone.connectors.http import HttpConnector

        found += [HttpConnector(name, service) for name, service in settings.http_services.items()]
    if settings.search_provider or settings.read_pages:
        from hammerstone.connectors.web import PageReader, WebSearch

        if settings.search_provider:
            found.append(WebSearch(settings))
        if settings.read_pages:
            found.append(PageReader(tuple(settings.page_hosts)))
    return Connectors(found, watch)
