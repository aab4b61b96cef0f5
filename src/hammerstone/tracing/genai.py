"""Spans of models and tools with the names and attributes of OpenTelemetry's GenAI conventions.

The names are written out here because the conventions' Python package marks all of them as
deprecated (they are moving to a repository of their own); a test compares both.
"""

from collections.abc import Mapping
from typing import Any, Final

from hammerstone.core.chat import Prompt, Reply
from hammerstone.tracing.spans import Span, span

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
MAX_TOKENS: Final = "gen_ai.request.max_tokens"
TEMPERATURE: Final = "gen_ai.request.temperature"
SEED: Final = "gen_ai.request.seed"
STOP: Final = "gen_ai.request.stop_sequences"
CHOICES: Final = "gen_ai.request.choice.count"
OUTPUT_TYPE: Final = "gen_ai.output.type"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
CONVERSATION: Final = "gen_ai.conversation.id"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"

# What the conventions have no name for.
PRICE_USD: Final = "hammerstone.usd"
CALLS: Final = "hammerstone.calls"
PURPOSE: Final = "hammerstone.purpose"
PART: Final = "hammerstone.part"
CACHE_HIT: Final = "hammerstone.cached"
TOOL_VERSION: Final = "hammerstone.tool.version"

_PROVIDERS: Final = {"google": "gcp.gemini"}  # where the conventions' name differs from ours


def chat_span(model: str, prompt: Prompt, *, provider: str) -> Span:
    """A span `chat MODEL` around one call to a model; finish it with `record_reply`."""
    attributes: dict[str, Any] = {
        OPERATION: "chat",
        PROVIDER: _PROVIDERS.get(provider, provider),
        REQUEST_MODEL: model,
        MAX_TOKENS: prompt.max_tokens,
        TEMPERATURE: prompt.temperature,
        OUTPUT_TYPE: "text" if prompt.schema is None else "json",
    }
    if prompt.samples != 1:
        attributes[CHOICES] = prompt.samples
    if prompt.seed is not None:
        attributes[SEED] = prompt.seed
    if prompt.stop:
        attributes[STOP] = list(prompt.stop)
    if prompt.purpose:
        attributes[PURPOSE] = prompt.purpose
    if prompt.part:
        attributes[PART] = prompt.part
    messages = [{"role": m.author, "content": m.text} for m in prompt.messages]
    return span(f"chat {model}", kind="model", input=messages, attributes=attributes)


def record_reply(opened: Span, reply: Reply) -> None:
    """What the model said and what it cost, on the span of the call."""
    opened.output = [
        {"role": "assistant", "content": sample.text, "finish_reason": sample.finish}
        for sample in reply.samples
    ]
    opened.set(RESPONSE_MODEL, reply.model)
    opened.set(FINISH_REASONS, [sample.finish for sample in reply.samples])
    usage = reply.usage
    opened.set(INPUT_TOKENS, usage.prompt_tokens)
    opened.set(OUTPUT_TOKENS, usage.output_tokens)
    if usage.cached_tokens:
        opened.set(CACHED_TOKENS, usage.cached_tokens)
    if usage.usd:
        opened.set(PRICE_USD, usage.usd)
    opened.set(CALLS, usage.calls)


def tool_span(name: str, arguments: Mapping[str, Any], *, version: str | int | None = None) -> Span:
    """A span `execute_tool NAME` around one call of a tool; set its `output`."""
    attributes: dict[str, Any] = {
        OPERATION: "execute_tool",
        TOOL_NAME: name,
        TOOL_TYPE: "function",
    }
    if version is not None:
        attributes[TOOL_VERSION] = version
    return span(f"execute_tool {name}", kind="tool", input=arguments, attributes=attributes)
