"""The embedded model as a `Model`."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.errors import ModelRefused, ModelUnavailable
from hammerstone.models.local.grammar import grammar_schema
from hammerstone.models.local.lora import LoraAdapter, scales, writers_name
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.local.rendezvous import Endpoint
from hammerstone.models.local.server import SLOTS
from hammerstone.models.local.stream import SampleCollector, collect
from hammerstone.models.structure import ask_until_valid


class LocalModel:
    """Answers from the user's shared model process, which it starts when there is none.

    Samples of one prompt are written side by side and read the prompt once. `timeout_s` bounds
    the wait for the next sign of life, not the whole answer: the model is slow, not dead.
    """

    def __init__(
        self,
        model_path: Path,
        runtime_dir: Path,
        *,
        threads: int = 0,
        idle_s: float = 600.0,
        timeout_s: float = 120.0,
        adapters: Sequence[LoraAdapter] = (),
    ) -> None:
        self._process = ModelProcess(
            runtime_dir, model_path, threads=threads, idle_s=idle_s, adapters=adapters
        )
        self._name = model_path.stem.lower() + writers_name(adapters)
        self._adapters = tuple(adapters)
        self._timeout_s = timeout_s
        self._client: httpx.AsyncClient | None = None

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        return await ask_until_valid(lambda asked: self._in_batches(asked, on_token), prompt)

    async def close(self) -> None:
        """Let go of the connection; the process stays for the others until it is idle."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _in_batches(self, prompt: Prompt, on_token: OnToken | None) -> Reply:
        """As many samples at once as the process has slots."""
        replies: list[Reply] = []
        for first in range(0, prompt.samples, SLOTS):
            seed = None if prompt.seed is None else prompt.seed + first
            batch = replace(prompt, samples=min(SLOTS, prompt.samples - first), seed=seed)
            replies.append(
                await self._persistently(
                    batch, lambda n, first=first: SampleCollector(n, on_token, first)
                )
            )
        samples = tuple(sample for reply in replies for sample in reply.samples)
        return Reply(samples, sum((reply.usage for reply in replies), Usage()), self._name)

    async def _persistently(
        self, prompt: Prompt, collector: Callable[[int], SampleCollector]
    ) -> Reply:
        """One more try when the process left or died before it wrote anything."""
        gathered = collector(prompt.samples)
        try:
            return await self._ask(prompt, gathered)
        except httpx.TransportError as error:
            if gathered.started or isinstance(error, httpx.TimeoutException):
                raise _unavailable(error) from None
        await asyncio.sleep(0.05)
        try:
            return await self._ask(prompt, collector(prompt.samples))
        except httpx.TransportError as error:
            raise _unavailable(error) from None

    async def _ask(self, prompt: Prompt, collector: SampleCollector) -> Reply:
        endpoint = await self._process.ensure()
        began = time.perf_counter()
        # Leaving this block, by cancellation too, closes the connection, and the process
        # stops writing when the connection is gone.
        async with self._http().stream(
            "POST",
            f"{endpoint.url}/v1/chat/completions",
            json=_body(prompt, self._adapters),
            headers=_key(endpoint),
        ) as response:
            if response.status_code != httpx.codes.OK:
                raise _refusal(response.status_code, await response.aread())
            await collect(response.aiter_lines(), collector)
        return collector.reply(self._name, time.perf_counter() - began)

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(self._timeout_s, connect=5.0)
            # A kept connection may belong to a process that has left since.
            limits = httpx.Limits(max_keepalive_connections=0)
            self._client = httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=False)
        return self._client


def _body(prompt: Prompt, adapters: Sequence[LoraAdapter] = ()) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [{"role": m.author, "content": m.text} for m in prompt.messages],
        "max_tokens": prompt.max_tokens,
        "temperature": prompt.temperature,
        "n": prompt.samples,
        "stream": True,
        "stream_options": {"include_usage": True},
        "cache_prompt": True,
        # Without progress reports nothing is sent while the prompt is read, and a closed
        # connection is noticed only when it has been read to the end (seen: 25 s).
        "return_progress": True,
    }
    if adapters:
        shares = enumerate(scales(adapters, prompt.purpose))
        body["lora"] = [{"id": number, "scale": scale} for number, scale in shares]
    if prompt.seed is not None:
        body["seed"] = prompt.seed % 2**31
    if prompt.stop:
        body["stop"] = list(prompt.stop)
    if prompt.schema is not None:
        schema = grammar_schema(prompt.schema)
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": schema},
        }
    return body


def _key(endpoint: Endpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {endpoint.key}"}


def _refusal(status: int, body: bytes) -> ModelRefused | ModelUnavailable:
    text = body.decode("utf-8", "replace")[:500]
    if status in (401, 429) or status >= 500:  # 401: another process took over the port
        return ModelUnavailable(f"the embedded model answered {status}: {text}")
    return ModelRefused(
        f"the embedded model refused the prompt ({status}): {text}",
        hint="shorten the request or its files" if "context" in text else "",
    )


def _unavailable(error: httpx.TransportError) -> ModelUnavailable:
    return ModelUnavailable(
        f"the embedded model's process went away: {type(error).__name__} {error}".strip(),
        hint="hammerstone model status",
    )
