"""Embeddings from an OpenAI-compatible endpoint, in batches, with its failures translated."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np

from hammerstone.core.errors import ModelNonsense, ModelRefused, ModelUnavailable

BATCH = 96
AT_ONCE = 4
MAX_CHARACTERS = 8_000
MAX_ANSWER_BYTES = 64 << 20


class RemoteEmbedder:
    """Embeds through `POST {base_url}/embeddings`.

    An answer of another length than the first one's is refused, since it would be another space.
    """

    def __init__(self, model: str, *, base_url: str, api_key: str = "") -> None:
        self._model = model
        self._host = httpx.URL(base_url).host
        self._dimensions = 0  # before the first answer
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(
            base_url=base_url.rstrip("/") + "/",
            headers=headers,
            timeout=httpx.Timeout(30.0, connect=5.0),
        )

    @property
    def space(self) -> str:
        """Model and host: the same name at two providers is not proof of the same vectors."""
        return f"{self._model}@{self._host}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(batch: Sequence[str]) -> list[list[float]]:
            async with gate:
                return await self._request(batch)

        # A group, so that the first failure stops the others instead of paying for them.
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(batch)) for batch in batches]
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [vector for task in tasks for vector in task.result()]

    async def close(self) -> None:
        await self._client.aclose()

    async def _request(self, texts: Sequence[str]) -> list[list[float]]:
        # An empty input is an error at most providers; a blank one has a vector.
        body = {"model": self._model, "input": [text[:MAX_CHARACTERS] or " " for text in texts]}
        try:
            response = await self._client.post("embeddings", json=body)
        except httpx.HTTPError as error:
            raise ModelUnavailable(
                f"the embedding endpoint {self._host} cannot be reached: "
                f"{type(error).__name__} {error}".rstrip(),
                hint="check OPENAI_BASE_URL, or set HAMMERSTONE_EMBEDDER=local",
            ) from error
        if response.is_error:
            raise _refusal(response, self._host)
        if len(response.content) > MAX_ANSWER_BYTES:
            raise ModelNonsense(f"{self._host} answered {len(response.content)} bytes")
        try:
            vectors = _vectors(response.json(), len(texts))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelNonsense(
                f"{self._host} did not answer with embeddings: {error}",
                hint="check that OPENAI_BASE_URL is an OpenAI-compatible endpoint",
            ) from error
        if self._dimensions == 0:
            self._dimensions = len(vectors[0])
        if any(len(vector) != self._dimensions for vector in vectors):
            raise ModelNonsense(
                f"{self._model} answered vectors of {len(vectors[0])} numbers "
                f"instead of {self._dimensions}"
            )
        return vectors


def _vectors(answer: Any, expected: int) -> list[list[float]]:
    rows = sorted(answer["data"], key=lambda row: int(row["index"]))
    if [int(row["index"]) for row in rows] != list(range(expected)):
        raise ValueError(f"{len(rows)} vectors for {expected} texts")
    matrix = np.asarray([row["embedding"] for row in rows], dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True) if matrix.ndim == 2 else None
    if lengths is None or not np.isfinite(matrix).all() or not lengths.all():
        raise ValueError("a vector is empty, zero or not finite")
    return (matrix / lengths).tolist()


def _refusal(response: httpx.Response, host: str) -> ModelRefused | ModelUnavailable:
    text = response.text[:300].strip()
    message = f"the embedding endpoint {host} answered {response.status_code}: {text}"
    if response.status_code in (408, 409, 425, 429) or response.status_code >= 500:
        wait = _seconds(response.headers.get("retry-after", ""))
        if wait is None:
            return ModelUnavailable(message)
        return ModelUnavailable(message, retry_after_s=wait)
    return ModelRefused(message, hint="check OPENAI_API_KEY and OPENAI_EMBEDDING_MODEL")


def _seconds(value: str) -> float | None:
    try:
        return max(0.0, float(value))
    except ValueError:
        return None
