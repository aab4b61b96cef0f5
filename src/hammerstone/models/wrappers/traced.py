"""Every call to a model is a span, in the words of the GenAI conventions."""

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.tracing.genai import chat_span, record_reply


class TracedModel(Wrapper):
    """Opens `chat MODEL` around the call, with the prompt, the samples and what they cost."""

    def __init__(self, inner: Model, provider: str) -> None:
        super().__init__(inner)
        self._provider = provider

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        with chat_span(self.name, prompt, provider=self._provider) as opened:
            reply = await self._inner.complete(prompt, on_token=on_token)
            record_reply(opened, reply)
            return reply
