"""The remote embedder against a real local HTTP server that speaks the protocol, or lies."""

import asyncio
import contextlib
import json
import math
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hammerstone.core.errors import ModelNonsense, ModelRefused, ModelUnavailable
from hammerstone.models.embedding.remote import BATCH, RemoteEmbedder

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]]


@contextlib.asynccontextmanager
async def endpoint(answer: Answer) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """An HTTP server on loopback; yields its base URL and the requests it saw."""
    seen: list[dict[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:] if line)
        }
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        seen.append({"line": lines[0], "headers": headers, "body": body})
        status, extra, content = answer(body)
        fields = {"content-length": str(len(content)), "connection": "close", **extra}
        text = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{text}\r\n".encode() + content)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1", seen
    finally:
        server.close()
        await asyncio.sleep(0)  # lets cancelled connections finish closing


def vectors(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    """Each text's vector is (its length, 1), in reverse order as the protocol allows."""
    rows = [
        {"index": index, "embedding": [float(len(text)), 1.0]}
        for index, text in enumerate(body["input"])
    ]
    return 200, {}, json.dumps({"data": rows[::-1]}).encode()


async def test_vectors_are_unit_length_and_in_the_order_of_the_texts() -> None:
    async with endpoint(vectors) as (url, seen):
        embedder = RemoteEmbedder("tiny", base_url=url, api_key="k-1")
        texts = ["x" * length for length in range(1, BATCH * 2 + 4)]
        result = await embedder.embed(texts)
        await embedder.close()
    assert [round(a / b) for a, b in result] == list(range(1, BATCH * 2 + 4))
    assert all(math.isclose(math.hypot(*vector), 1.0) for vector in result)
    assert len(seen) == 3
    assert seen[0]["line"] == "POST /v1/embeddings HTTP/1.1"
    assert seen[0]["headers"]["authorization"] == "Bearer k-1"
    assert embedder.dimensions == 2
    assert embedder.space == "tiny@127.0.0.1"


async def test_an_empty_text_is_sent_as_a_blank_and_no_text_is_not_sent_at_all() -> None:
    async with endpoint(vectors) as (url, seen):
        embedder = RemoteEmbedder("tiny", base_url=url)
        assert await embedder.embed([]) == []
        assert len(await embedder.embed([""])) == 1
        await embedder.close()
    assert [request["body"]["input"] for request in seen] == [[" "]]
    assert "authorization" not in seen[0]["headers"]


@pytest.mark.parametrize(
    ("status", "headers", "expected", "wait"),
    [
        (401, {}, ModelRefused, None),
        (404, {}, ModelRefused, None),
        (429, {"retry-after": "7"}, ModelUnavailable, 7.0),
        (429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, ModelUnavailable, None),
        (503, {}, ModelUnavailable, None),
    ],
)
async def test_a_refusal_is_translated(
    status: int, headers: dict[str, str], expected: type[Exception], wait: float | None
) -> None:
    async with endpoint(lambda body: (status, headers, b"no")) as (url, _):
        embedder = RemoteEmbedder("tiny", base_url=url)
        with pytest.raises(expected) as caught:
            await embedder.embed(["a"] * (BATCH + 1))
        await embedder.close()
    assert getattr(caught.value, "data", {}).get("retry_after_s") == wait


@pytest.mark.parametrize(
    "content",
    [
        b"<html>welcome</html>",
        b'{"data": [{"index": 0, "embedding": [1.0,',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [{"index": 5, "embedding": [1.0, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'["choices"]',
        b"null",
    ],
)
async def test_nonsense_is_called_nonsense(content: bytes) -> None:
    async with endpoint(lambda body: (200, {}, content)) as (url, _):
        embedder = RemoteEmbedder("tiny", base_url=url)
        with pytest.raises(ModelNonsense):
            await embedder.embed(["a"])
        await embedder.close()


async def test_a_vector_of_another_length_than_the_first_is_nonsense() -> None:
    given = iter(("[1.0, 2.0]", "[1.0, 2.0, 3.0]"))

    def answer(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, f'{{"data": [{{"index": 0, "embedding": {next(given)}}}]}}'.encode()

    async with endpoint(answer) as (url, _):
        embedder = RemoteEmbedder("tiny", base_url=url)
        assert len((await embedder.embed(["a"]))[0]) == embedder.dimensions == 2
        with pytest.raises(ModelNonsense, match="3 numbers instead of 2"):
            await embedder.embed(["a"])
        await embedder.close()


async def test_a_dead_endpoint_is_unavailable() -> None:
    embedder = RemoteEmbedder("tiny", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ModelUnavailable):
        await embedder.embed(["a"])
    await embedder.close()
