"""Web search by the provider the person chose, and reading of pages."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import httpx

from hammerstone.connectors.addresses import public_place
from hammerstone.connectors.connector import ConnectorResult, Offer, ServiceDown
from hammerstone.connectors.http import UNPACKED, body_of, json_of, text_of
from hammerstone.connectors.page_text import page_text
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.intake import IntakeError, read_apart
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.settings import Settings

_TIMEOUT_S = 15.0  # for the next bytes
_TOTAL_S = 60.0
_MOST_BYTES = 2_000_000
_MOST_TEXT = 20_000
_MOST_REDIRECTS = 5
_RESULTS = 8


@dataclass(frozen=True, slots=True)
class Provider:
    """How one search service is asked, and where its results are."""

    url: str
    needs_key: bool
    ask: Callable[[str, str], dict[str, Any]]  # query, key -> arguments of the request
    results: Callable[[Any], list[JsonObject]]


def _row(title: Any, url: Any, text: Any) -> JsonObject:
    return {"title": str(title or ""), "url": str(url or ""), "text": str(text or "")[:500]}


PROVIDERS: dict[str, Provider] = {
    "searxng": Provider(
        "http://127.0.0.1:8888/search",
        False,
        lambda query, key: {"method": "GET", "params": {"q": query, "format": "json"}},
        lambda found: [
            _row(r.get("title"), r.get("url"), r.get("content")) for r in found["results"]
        ],
    ),
    "brave": Provider(
        "https://api.search.brave.com/res/v1/web/search",
        True,
        lambda query, key: {
            "method": "GET",
            "params": {"q": query, "count": _RESULTS},
            "headers": {"x-subscription-token": key},
        },
        lambda found: [
            _row(r.get("title"), r.get("url"), r.get("description"))
            for r in found["web"]["results"]
        ],
    ),
    "tavily": Provider(
        "https://api.tavily.com/search",
        True,
        lambda query, key: {
            "method": "POST",
            "json": {"query": query, "max_results": _RESULTS},
            "headers": {"authorization": f"Bearer {key}"},
        },
        lambda found: [
            _row(r.get("title"), r.get("url"), r.get("content")) for r in found["results"]
        ],
    ),
}


class WebSearch:
    name = "web"

    def __init__(
        self, settings: Settings, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._which = settings.search_provider or ""
        if self._which not in PROVIDERS:
            raise BadRequest(
                f"there is no search provider {self._which!r}", hint=", ".join(PROVIDERS)
            )
        self._provider = PROVIDERS[self._which]
        self._url = settings.search_url or self._provider.url
        key = settings.search_api_key
        self._key = key.get_secret_value() if key else ""
        if self._provider.needs_key and not self._key:
            raise BadRequest(f"{self._which} needs HAMMERSTONE_SEARCH_API_KEY")
        self.service = f"search:{self._which}"
        self._client = httpx.AsyncClient(timeout=_TIMEOUT_S, transport=transport, headers=UNPACKED)

    async def offers(self) -> list[Offer]:
        return [
            Offer(
                name="web.search",
                connector=self.name,
                description="Search the web: titles, addresses and short texts of pages.",
                parameters={
                    "type": "object",
                    "properties": {"query": {"type": "string", "description": "what to look for"}},
                    "required": ["query"],
                    "additionalProperties": False,
                },
                web=True,
            )
        ]

    async def call(self, operation: str, arguments: Mapping[str, Json]) -> ConnectorResult:
        query = arguments.get("query")
        if operation != "search" or not isinstance(query, str) or not query.strip():
            raise BadRequest("`query` is the text to search for")
        asked = self._provider.ask(query[:400], self._key)
        try:
            async with (
                asyncio.timeout(_TOTAL_S),
                self._client.stream(url=self._url, **asked) as response,
            ):
                if response.status_code >= 400:
                    raise ServiceDown(f"{self._which} answers {response.status_code}")
                content = await body_of(response, _MOST_BYTES)
            rows = self._provider.results(await json_of(content))[:_RESULTS]
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, TimeoutError) as error:
            raise ServiceDown(f"{self._which} does not answer ({type(error).__name__})") from None
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ServiceDown(f"{self._which} answers in a form that is not known") from None
        lines = [f"{row['title']}\n{row['url']}\n{row['text']}" for row in rows]
        return ConnectorResult(
            "\n\n".join(lines) or "nothing was found", list(rows), f"{self._which} search"
        )

    async def close(self) -> None:
        await self._client.aclose()


class PageReader:
    """Reads one public page as text. Each redirect is checked like the first address."""

    name = "page"
    service = "pages:web"

    def __init__(
        self,
        allowed_hosts: tuple[str, ...] = (),
        *,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._allowed = tuple(host.lower() for host in allowed_hosts)
        # No connection is kept: the next page at the same place may belong to another host.
        self._client = httpx.AsyncClient(
            timeout=_TIMEOUT_S,
            follow_redirects=False,
            transport=transport,
            limits=httpx.Limits(max_keepalive_connections=0),
            headers=UNPACKED,
        )

    async def offers(self) -> list[Offer]:
        return [
            Offer(
                name="page.read",
                connector=self.name,
                description="Read a web page: its text, without pictures and scripts.",
                parameters={
                    "type": "object",
                    "properties": {"url": {"type": "string", "description": "the page's address"}},
                    "required": ["url"],
                    "additionalProperties": False,
                },
                web=True,
            )
        ]

    async def call(self, operation: str, arguments: Mapping[str, Json]) -> ConnectorResult:
        address = arguments.get("url")
        if operation != "read" or not isinstance(address, str):
            raise BadRequest("`url` is the page's address")
        for _ in range(_MOST_REDIRECTS + 1):
            place = await public_place(address, allowed_hosts=self._allowed)
            status, target, kind, content = await self._fetch(address, place)
            if target is None:
                break
            address = _joined(address, target)
        else:
            raise Refused("the page redirects without end", rule="redirects")
        if status >= 500:
            raise ServiceDown(f"the page answers {status}")
        if status >= 400:
            raise BadRequest(f"the page answers {status}")
        if not kind.startswith(("text/", "application/json", "application/xhtml")):
            raise BadRequest(f"the page is no text but {kind or 'unknown'}")
        text = await read_apart(page_text, content) if "html" in kind else content
        return ConnectorResult(text[:_MOST_TEXT], text[:_MOST_TEXT], address)

    async def _fetch(self, address: str, place: str | None) -> tuple[int, str | None, str, str]:
        try:
            request = self._request(address, place)
        except (httpx.InvalidURL, ValueError) as error:
            text = f"{address[:200]!r} is no web address"
            raise BadRequest(text, hint=str(error)[:200]) from None
        try:
            async with asyncio.timeout(_TOTAL_S):
                response = await self._client.send(request, stream=True)
                try:
                    if response.is_redirect:
                        return response.status_code, response.headers.get("location", ""), "", ""
                    content = await body_of(response, _MOST_BYTES)
                finally:
                    await response.aclose()
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
            if "location header" in str(error):  # the client looks at it before we do
                raise Refused("the page redirects to no address", rule="redirects") from None
            raise ServiceDown(f"the page does not answer ({type(error).__name__})") from None
        except IntakeError as error:
            raise BadRequest(f"the page cannot be read: {error}") from None
        kind = response.headers.get("content-type", "")
        return response.status_code, None, kind, await text_of(response, content)

    def _request(self, address: str, place: str | None) -> httpx.Request:
        url, named = httpx.URL(address), dict[str, Any]()
        if place is not None:
            # Connected to where it was found to lead; its name is for the host and its certificate.
            named["headers"] = {"host": url.netloc.decode("ascii")}
            named["extensions"] = {"sni_hostname": url.raw_host.decode("ascii")}
            url = url.copy_with(host=place)
        return self._client.build_request("GET", url, **named)

    async def close(self) -> None:
        await self._client.aclose()


def _joined(address: str, target: str) -> str:
    """Where a redirect leads; raises `Refused` for what is no address."""
    try:
        return urljoin(address, target)
    except ValueError:
        raise Refused(f"the page redirects to {target[:200]!r}", rule="redirects") from None
