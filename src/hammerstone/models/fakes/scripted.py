"""A model that says what it was told to say."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelError
from hammerstone.models.structure import ask_until_valid

Line: TypeAlias = str | Sequence[str] | Reply | Exception
"""One call's answer: a text for every sample, a text for each, a whole reply, or an error."""


class ScriptedModel:
    """Answers from a list, one entry a call, or from a function of the prompt.

    Keeps the same promises as a real model: the schema is enforced, so a script that breaks it
    raises `ModelNonsense`. A call beyond the script raises `ModelError`. Tokens are estimated
    at four characters each. `prompts` holds what was asked.
    """

    def __init__(
        self,
        script: Iterable[Line] | Callable[[Prompt], Line],
        *,
        name: str = "scripted",
        seconds_per_piece: float = 0.0,
    ) -> None:
        self._answer = script if callable(script) else None
        self._lines = None if callable(script) else iter(script)
        self._name = name
        self._pause_s = seconds_per_piece
        self.prompts: list[Prompt] = []

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        self.prompts.append(prompt)
        line = self._next(prompt)

        async def say(asked: Prompt) -> Reply:
            return await self._say(line, asked, on_token)

        return await ask_until_valid(say, prompt, rounds=1)

    async def close(self) -> None:
        """Nothing to let go of."""

    def _next(self, prompt: Prompt) -> Line:
        if self._answer is not None:
            return self._answer(prompt)
        assert self._lines is not None
        for line in self._lines:
            return line
        raise ModelError(
            f"the script has no answer for call {len(self.prompts)} (purpose {prompt.purpose!r})",
            prompt=prompt.messages[-1].text[:500] if prompt.messages else "",
        )

    async def _say(self, line: Line, prompt: Prompt, on_token: OnToken | None) -> Reply:
        if isinstance(line, Exception):
            raise line
        reply = line if isinstance(line, Reply) else self._reply(line, prompt)
        if len(reply.samples) != prompt.samples:
            raise ModelError(
                f"the script has {len(reply.samples)} samples where {prompt.samples} were asked"
            )
        for index, sample in enumerate(reply.samples):
            for piece in _pieces(sample.text):
                await asyncio.sleep(self._pause_s)
                if on_token:
                    on_token(index, piece)
        return reply

    def _reply(self, line: str | Sequence[str], prompt: Prompt) -> Reply:
        texts = [line] * prompt.samples if isinstance(line, str) else list(line)
        asked = sum(len(message.text) for message in prompt.messages)
        usage = Usage(
            prompt_tokens=_tokens(asked) * len(texts),
            cached_tokens=_tokens(asked) * (len(texts) - 1),
            output_tokens=sum(_tokens(len(text)) for text in texts),
            calls=len(texts),
        )
        return Reply(tuple(Sample(text) for text in texts), usage, self._name)


def _tokens(characters: int) -> int:
    return -(-characters // 4)


def _pieces(text: str) -> list[str]:
    return text.splitlines(keepends=True)
