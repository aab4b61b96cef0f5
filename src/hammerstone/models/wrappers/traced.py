"""Every call to a model is a span, in the words of the GenAI conventions."""

from typing import Any

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.tracing import span


class TracedModel(Wrapper):
    """Opens `chat MODEL` around the call, with the prompt, the samples and what they cost."""

    def __init__(self, inner: Model, provider: str) -> None:
        super().__init__(inner)
        self._provider = provider

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        with span(
            f"chat {self.name}",
            kind="model",
            input=[{"role": m.author, "content": m.text} for m in prompt.messages],
            attributes=self._asked(prompt),
        ) as current:
            reply = await self._inner.complete(prompt, on_token=on_token)
            current.output = [sample.text for sample in reply.samples]
            usage = reply.usage
            current.set("gen_ai.response.model", reply.model)
            current.set("gen_ai.response.finish_reasons", [s.finish for s in reply.samples])
            current.set("gen_ai.usage.input_tokens", usage.prompt_tokens)
            current.set("gen_ai.usage.output_tokens", usage.output_tokens)
            current.set("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens)
            current.set("hammerstone.usd", usage.usd)
            return reply

    def _asked(self, prompt: Prompt) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self._provider,
            "gen_ai.request.model": self.name,
            "gen_ai.request.max_tokens": prompt.max_tokens,
            "gen_ai.request.temperature": prompt.temperature,
            "gen_ai.request.choice.count": prompt.samples,
            "gen_ai.output.type": "text" if prompt.schema is None else "json",
            "hammerstone.purpose": prompt.purpose,
        }
        if prompt.seed is not None:
            asked["gen_ai.request.seed"] = prompt.seed
        return asked
