"""A model whose replies are kept by what was asked, so that nothing is asked twice."""

import asyncio

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.seams import Model
from hammerstone.models.fingerprint import fingerprint


class KeptModel:
    """Answers with what is `known`, by a prompt's fingerprint; what is not is asked of `live`.

    `given` are those known from another recording. Without a live model a prompt that is not known
    raises `ModelUnavailable`.
    """

    def __init__(self, live: Model | None) -> None:
        self.live = live
        self.known: dict[str, list[str]] = {}
        self.given: set[str] = set()
        self._turn = asyncio.Semaphore(2)

    @property
    def name(self) -> str:
        return "embedded model, recorded"

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        key = fingerprint(prompt)
        if key not in self.known:
            await self._ask(key, prompt)
        samples = tuple(Sample(text) for text in self.known[key])
        return Reply(samples, Usage(calls=len(samples)), self.name)

    async def _ask(self, key: str, prompt: Prompt) -> None:
        if self.live is None:
            raise ModelUnavailable("this prompt has no recorded reply")
        async with self._turn:
            reply = await self.live.complete(prompt)
        self.known[key] = [one.text for one in reply.samples]

    async def close(self) -> None:
        """Nothing to let go of."""
