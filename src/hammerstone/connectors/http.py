"""HTTP services the person allowed: one base address each, with its credentials; and the body of
a response: so many bytes of it, unpacked, and what they say."""

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import quote, unquote

import httpx

from hammerstone.connectors.connector import ConnectorResult, Offer, ServiceDown
from hammerstone.core import intake
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.intake import Inflation, IntakeError, read_apart
from hammerstone.core.json_types import Json
from hammerstone.core.settings import HttpService
from hammerstone.core.tools import Effect

# A body that is packed can be a thousand times larger than what was sent.
UNPACKED = {"accept-encoding": "identity"}

_READS = ("GET", "HEAD")
_MOST_BYTES = 1_000_000
_MOST_QUOTED = 5  # times that a path may be quoted over
_TIMEOUT_S = 20.0  # for the next bytes
_TOTAL_S = 60.0


async def body_of(response: httpx.Response, max_bytes: int) -> bytes:
    """The first bytes of a body; raises `IntakeError` for one that cannot be unpacked."""
    encoding = response.headers.get("content-encoding", "")
    packed = encoding.strip().lower() not in ("", "identity")
    inflation = Inflation(encoding, max_bytes)
    async for piece in response.aiter_raw() if packed else response.aiter_bytes():
        inflation.feed(piece)
        if inflation.full:
            break
    return bytes(inflation.content)


async def text_of(response: httpx.Response, content: bytes) -> str:
    """The text of a body, in the charset that it says if that is one of the web's."""
    kind = response.headers.get("content-type", "")
    return await read_apart(intake.read_text, content, kind)


async def json_of(content: bytes | str) -> Json:
    """The value of a body; raises `IntakeError`."""
    return await read_apart(intake.read_json, content)


class HttpConnector:
    """Requests below one base address. Redirects are not followed: they would leave it."""

    def __init__(
        self, name: str, service: HttpService, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.name = name
        self.service = f"http:{name}"
        self._about = service
        self._methods = tuple(method.upper() for method in service.methods)
        self._client = httpx.AsyncClient(
            base_url=service.url.rstrip("/") + "/",
            headers={**UNPACKED, **{k: v.get_secret_value() for k, v in service.headers.items()}},
            timeout=_TIMEOUT_S,
            follow_redirects=False,
            transport=transport,
        )

    async def offers(self) -> list[Offer]:
        offers: list[Offer] = []
        about = self._about.description or f"the service at {self._about.url}"
        for method in self._methods:
            properties: dict[str, Json] = {
                "path": {"type": "string", "description": "below the base address"},
                "query": {"type": "object", "description": "query parameters"},
            }
            if method not in _READS:
                properties["body"] = {"type": "object", "description": "the JSON body"}
            offers.append(
                Offer(
                    name=f"{self.name}.{method.lower()}",
                    connector=self.name,
                    description=f"{method} from {about}",
                    parameters={
                        "type": "object",
                        "properties": properties,
                        "required": ["path"],
                        "additionalProperties": False,
                    },
                    effect=Effect.READS if method in _READS else Effect.WRITES,
                )
            )
        return offers

    async def call(self, operation: str, arguments: Mapping[str, Json]) -> ConnectorResult:
        method = operation.upper()
        if method not in self._methods:
            raise Refused(f"{self.name} does not allow {method}", rule="http_method")
        path = _below(str(arguments.get("path", "")).encode("utf-8", "replace").decode())
        query = arguments.get("query") or {}
        if not isinstance(query, dict):
            raise BadRequest("`query` is an object")
        params = {key: _flat(value) for key, value in query.items()}
        body = arguments.get("body") if method not in _READS else None
        try:
            request = self._client.build_request(method, path, params=params, json=body)
        except (httpx.InvalidURL, ValueError, TypeError) as error:
            raise BadRequest(f"{self.name} cannot be asked that", hint=str(error)[:200]) from None
        try:
            async with asyncio.timeout(_TOTAL_S):
                response = await self._client.send(request, stream=True)
                try:
                    content = await body_of(response, _MOST_BYTES)
                finally:
                    await response.aclose()
        except (httpx.HTTPError, httpx.StreamError, IntakeError, TimeoutError) as error:
            raise ServiceDown(f"{self.name} does not answer ({type(error).__name__})") from None
        if response.status_code >= 500 or response.status_code == 429:
            raise ServiceDown(f"{self.name} answers {response.status_code}")
        text = await text_of(response, content)
        if response.status_code >= 300:
            raise BadRequest(f"{self.name} answers {response.status_code}: {text[:200]}")
        try:
            value = await json_of(text)
        except IntakeError:
            value = text
        return ConnectorResult(text, value, f"{self.name} {method} /{path}")

    async def close(self) -> None:
        await self._client.aclose()


def _below(path: str) -> str:
    """The path relative to the base address; raises `Refused` for one that climbs out."""
    plain = path
    for _ in range(_MOST_QUOTED):
        plain, before = unquote(plain).replace("\\", "/"), plain
        if plain == before:
            break
    else:
        raise Refused("the path is quoted again and again", rule="http_path")
    if "://" in plain or plain.startswith("//") or "?" in plain or "#" in plain:
        raise Refused("the path must stay below the base address", rule="http_path")
    # Some servers read "..;x" and "..%00" as "..".
    if any(part.strip().startswith("..") for part in plain.split("/")):
        raise Refused("no part of a path may begin with two dots", rule="http_path")
    return quote(plain.lstrip("/"), safe="/-._~:@!$&'()*+,;=")


def _flat(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
