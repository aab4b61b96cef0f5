"""Web search by the provider the person chose, and reading of pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import httpx

from hammerstone.connectors.addresses import public_place
from hammerstone.connectors.connector import ConnectorResult, Offer, ServiceDown
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.settings import Settings

_TIMEOUT_S = 15.0
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
        self._client = httpx.AsyncClient(timeout=_TIMEOUT_S, transport=transport)

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
            response = await self._client.request(url=self._url, **asked)
            if response.status_code >= 400:
                raise ServiceDown(f"{self._which} answers {response.status_code}")
            rows = self._provider.results(response.json())[:_RESULTS]
        except httpx.TransportError as error:
            raise ServiceDown(f"{self._which} does not answer ({type(error).__name__})") from None
        except (KeyError, TypeError, ValueError):
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
            address = urljoin(address, target)
        else:
            raise Refused("the page redirects without end", rule="redirects")
        if status >= 500:
            raise ServiceDown(f"the page answers {status}")
        if status >= 400:
            raise BadRequest(f"the page answers {status}")
        if not kind.startswith(("text/", "application/json", "application/xhtml")):
            raise BadRequest(f"the page is no text but {kind or 'unknown'}")
        text = page_text(content) if "html" in kind else content
        return ConnectorResult(text[:_MOST_TEXT], text[:_MOST_TEXT], address)

    async def _fetch(self, address: str, place: str | None) -> tuple[int, str | None, str, str]:
        url, named = httpx.URL(address), dict[str, Any]()
        if place is not None:
            # Connected to where it was found to lead; its name is for the host and its certificate.
            named["headers"] = {"host": url.netloc.decode("ascii")}
            named["extensions"] = {"sni_hostname": url.raw_host.decode("ascii")}
            url = url.copy_with(host=place)
        try:
            async with self._client.stream("GET", url, **named) as response:
                if response.is_redirect:
                    return response.status_code, response.headers.get("location", ""), "", ""
                content = b""
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > _MOST_BYTES:
                        break
        except httpx.TransportError as error:
            raise ServiceDown(f"the page does not answer ({type(error).__name__})") from None
        kind = response.headers.get("content-type", "")
        text = content.decode(response.encoding or "utf-8", "replace")
        return response.status_code, None, kind, text

    async def close(self) -> None:
        await self._client.aclose()


def page_text(html: str) -> str:
    """What a person would read of a page: no scripts, no styles, nothing hidden."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    _SILENT = frozenset(("script", "style", "noscript", "template", "head", "svg", "iframe"))
    _BREAKS = frozenset(
        ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "section", "article", "table")
    )
    _EMPTY = frozenset(("br", "img", "hr", "input", "meta", "link", "source", "wbr", "area", "col"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []  # open elements from the first hidden one on

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._EMPTY:
            self.pieces.append("\n" if tag == "br" else "")
            return
        given = dict(attrs)
        style = (given.get("style") or "").replace(" ", "").lower()
        hidden = "hidden" in given or given.get("aria-hidden") == "true"
        hidden = hidden or "display:none" in style or "visibility:hidden" in style
        if self._hidden or hidden or tag in self._SILENT:
            self._hidden.append(tag)
        elif tag in self._BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            while self._hidden and self._hidden.pop() != tag:
                pass
        elif tag in self._BREAKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)
