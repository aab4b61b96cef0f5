"""What llama.cpp's server streams back, put together."""

import json
from collections.abc import AsyncIterator
from typing import Any

from hammerstone.core.chat import OnToken, Reply, Sample, Usage
from hammerstone.core.errors import ModelNonsense, ModelUnavailable

DATA = "data:"


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
