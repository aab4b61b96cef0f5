"""A model that is asked no more often in a minute than its provider allows to all together."""

import asyncio
from typing import Protocol

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.seams import Model
from hammerstone.core.settings import ModelLimits
from hammerstone.models.wrappers.wrapper import Wrapper

_CHARS_A_TOKEN = 4  # a guess that is set right when the reply says what it was


class RateStore(Protocol):
    """Where processes share what is left of a minute."""

    async def take(
        self, name: str, amount: float, per_minute: float, longest_s: float
    ) -> float: ...

    async def give_back(self, name: str, amount: float) -> None: ...


class RateLimitedModel(Wrapper):
    """Waits for its turn; raises `ModelUnavailable` where that would take longer than allowed."""

    def __init__(self, inner: Model, name: str, store: RateStore, limits: ModelLimits) -> None:
        super().__init__(inner)
        self._key = name
        self._store = store
        self._limits = limits

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        wanted = self._wanted(prompt)
        taken: list[tuple[str, float]] = []
        used = False
        try:
            wait_s = 0.0
            for bucket, amount, per_minute in wanted:
                wait_s = max(wait_s, await self._take(bucket, amount, per_minute))
                taken.append((bucket, amount))
            await asyncio.sleep(wait_s)
            used = True
            reply = await self._inner.complete(prompt, on_token=on_token)
        except BaseException:
            if not used:
                for bucket, amount in taken:
                    await asyncio.shield(self._store.give_back(bucket, amount))
            raise
        await self._correct(taken, reply)
        return reply

    def _wanted(self, prompt: Prompt) -> list[tuple[str, float, float]]:
        limits, chars = self._limits, sum(len(message.text) for message in prompt.messages)
        tokens = chars / _CHARS_A_TOKEN + prompt.max_tokens * prompt.samples
        wanted = [
            (f"{self._key} requests", 1.0, limits.requests_per_minute),
            (f"{self._key} tokens", tokens, limits.tokens_per_minute),
        ]
        return [(name, amount, most) for name, amount, most in wanted if most]

    async def _take(self, bucket: str, amount: float, per_minute: float) -> float:
        longest_s = self._limits.longest_wait_s
        wait_s = await self._store.take(bucket, amount, per_minute, longest_s)
        if wait_s > longest_s:
            raise ModelUnavailable(
                f"{self._key} is asked as often as its limit of {per_minute:g} "
                f"{bucket.rpartition(' ')[2]} a minute allows; it is free in {wait_s:.0f} s",
                hint="try again then, name another model in HAMMERSTONE_FALLBACK_MODELS, "
                "or raise its limit in HAMMERSTONE_MODEL_LIMITS",
                limited=True,
                retry_after_s=wait_s,
            )
        return wait_s

    async def _correct(self, taken: list[tuple[str, float]], reply: Reply) -> None:
        """Count the tokens that the reply really took."""
        for bucket, amount in taken:
            if bucket.endswith(" tokens"):
                left = amount - reply.usage.prompt_tokens - reply.usage.output_tokens
                await self._store.give_back(bucket, left)
