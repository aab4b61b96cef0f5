"""The embedded model as a `Model`: what its server is asked, in the form that llama.cpp
understands, and what it streams back."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelNonsense, ModelRefused, ModelUnavailable
from hammerstone.core.json_types import JsonSchema
from hammerstone.models.local.lora import LoraAdapter, scales, writers_name
from hammerstone.models.local.process import ModelProcess
from hammerstone.models.local.rendezvous import Endpoint
from hammerstone.models.local.server import SLOTS
from hammerstone.models.structure import ask_until_valid

DATA = "data:"

# llama.cpp closes the connection over some of these and ignores others; the reply is
# validated against the full schema afterwards, so leaving one out only loosens the grammar.
UNKNOWN = frozenset(
    {"$schema", "$id", "$comment", "title", "default", "examples", "not", "if", "then", "else"}
    | {"dependentRequired", "dependentSchemas", "unevaluatedProperties", "propertyNames"}
    | {"uniqueItems", "contains", "patternProperties", "multipleOf", "format"}
)
NAMED = frozenset({"properties", "$defs", "definitions"})


class SampleCollector:
    """Gathers the pieces of several samples that arrive interleaved."""

    def __init__(self, samples: int, on_token: OnToken | None, first: int = 0) -> None:
        self._texts: list[list[str]] = [[] for _ in range(samples)]
        self._finish: list[str | None] = [None] * samples
        self._usages: list[dict[str, Any]] = []
        self._on_token = on_token
        self._first = first
        self.started = False

    def add(self, chunk: dict[str, Any]) -> None:
        if "error" in chunk:
            raise ModelUnavailable(f"the embedded model failed: {chunk['error']}")
        if "usage" in chunk:
            self._usages.append(chunk["usage"])
        for choice in chunk.get("choices", ()):
            index = choice["index"]
            piece = choice["delta"].get("content")
            if piece:
                self.started = True
                self._texts[index].append(piece)
                if self._on_token:
                    self._on_token(self._first + index, piece)
            if choice.get("finish_reason"):
                self._finish[index] = choice["finish_reason"]

    def reply(self, model: str, seconds: float) -> Reply:
        if not all(self._finish) or not self._usages:
            raise ModelUnavailable("the embedded model stopped in the middle of an answer")
        samples = tuple(
            Sample("".join(pieces), "length" if finish == "length" else "stop")
            for pieces, finish in zip(self._texts, self._finish, strict=True)
        )
        prompt = sum(usage["prompt_tokens"] for usage in self._usages)
        # All samples continue one prompt that was read once, so what one of them reports as
        # read anew is all that was read.
        fresh = max(
            usage["prompt_tokens"] - usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
            for usage in self._usages
        )
        usage = Usage(
            prompt_tokens=prompt,
            cached_tokens=prompt - fresh,
            output_tokens=sum(usage["completion_tokens"] for usage in self._usages),
            seconds=seconds,
            calls=len(samples),
        )
        return Reply(samples, usage, model)


async def collect(lines: AsyncIterator[str], collector: SampleCollector) -> None:
    """Feed a server-sent event stream to the collector until it ends."""
    async for line in lines:
        if not line.startswith(DATA):
            continue
        body = line[len(DATA) :].strip()
        if body == "[DONE]":
            return
        try:
            collector.add(json.loads(body))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise ModelNonsense(f"the embedded model's stream cannot be read: {error}") from None


def grammar_schema(schema: JsonSchema) -> dict[str, Any]:
    """The schema without what the grammar cannot express."""
    return _plain(dict(schema))


def _plain(node: Any) -> Any:
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key in UNKNOWN or (key == "pattern" and not _simple(value)):
            continue
        if key in NAMED and isinstance(value, dict):
            plain[key] = {name: _plain(item) for name, item in value.items()}
        elif key in ("enum", "const", "required"):
            plain[key] = value
        else:
            plain[key] = _plain(value)
    return plain


def _simple(pattern: Any) -> bool:
    """Anchored, and without escapes and look-around, which the grammar gets wrong."""
    text = str(pattern)
    return text.startswith("^") and text.endswith("$") and "\\" not in text and "(?" not in text


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
