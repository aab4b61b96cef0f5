"""The same question with the same answer is not paid for twice."""

from collections import OrderedDict
from dataclasses import replace

from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.seams import Model
from hammerstone.models.fingerprint import fingerprint
from hammerstone.models.wrappers.wrapper import Wrapper


class ReplyCache:
    """The latest replies by what was asked, for one process."""

    def __init__(self, entries: int = 512) -> None:
        self._entries = entries
        self._replies: OrderedDict[str, Reply] = OrderedDict()
        self.hits = 0

    def find(self, key: str) -> Reply | None:
        reply = self._replies.get(key)
        if reply is not None:
            self._replies.move_to_end(key)
            self.hits += 1
        return reply

    def keep(self, key: str, reply: Reply) -> None:
        self._replies[key] = reply
        while len(self._replies) > self._entries:
            self._replies.popitem(last=False)


class CachedModel(Wrapper):
    """Answers a repeated deterministic prompt from memory: no call, no tokens, no cost.

    Deterministic is what was asked at temperature 0 or with a seed; the rest passes through.
    """

    def __init__(self, inner: Model, cache: ReplyCache) -> None:
        super().__init__(inner)
        self._cache = cache

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        if prompt.temperature > 0 and prompt.seed is None:
            return await self._inner.complete(prompt, on_token=on_token)
        key = fingerprint(prompt, model=self.name)
        known = self._cache.find(key)
        if known is None:
            reply = await self._inner.complete(prompt, on_token=on_token)
            self._cache.keep(key, reply)
            return reply
        for index, sample in enumerate(known.samples):
            if on_token and sample.text:
                on_token(index, sample.text)
        return replace(known, usage=Usage())
