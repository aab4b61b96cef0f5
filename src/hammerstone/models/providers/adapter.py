"""Any pydantic-ai model as a `Model`, its failures in the product's own words."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model as ForeignModel
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import (
    ModelError,
    ModelNonsense,
    ModelRefused,
    ModelUnavailable,
)
from hammerstone.models.structure import ask_until_valid, complaint, unfenced
from hammerstone.prompts import load

# No provider writes tokens this long on average; what is longer does not want to end.
CHARACTERS_PER_TOKEN = 40

TRY_AGAIN = (
    foreign.ModelRateLimitError,
    foreign.ModelUnavailableError,
    foreign.ModelServerError,
    foreign.ModelConnectionError,
    foreign.ModelRequestTimeout,
)
TRY_AGAIN_STATUS = frozenset({408, 409, 425, 429})
SHOWN_CHARACTERS = 300


_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (foreign.ModelQuotaExceededError, "the account has no credit left"),
    (foreign.ModelAuthenticationError, "check the provider's API key"),
    (foreign.ModelNotFoundError, "check the model's name in HAMMERSTONE_MODEL"),
    (foreign.ModelContextWindowExceededError, "shorten the request or its files"),
)


class ProviderModel:
    """Answers over HTTP. Each sample is a request of its own; they run side by side.

    With a schema the provider's own structured output is used; an endpoint that refuses it is
    prompted instead, and shown once what was wrong with its answer. `timeout_s` bounds a
    sample from the question to the last token.
    """

    def __init__(
        self,
        model: ForeignModel,
        *,
        name: str,
        timeout_s: float,
        close: Callable[[], Awaitable[None]],
    ) -> None:
        self._model = model
        self._name = name
        self._timeout_s = timeout_s
        self._close = close
        self._native = bool(model.profile.get("supports_json_schema_output"))

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        return await ask_until_valid(lambda asked: self._samples(asked, on_token), prompt)

    async def close(self) -> None:
        await self._close()

    async def _samples(self, prompt: Prompt, on_token: OnToken | None) -> Reply:
        began = time.perf_counter()
        tasks: list[asyncio.Task[tuple[Sample, Usage]]] = []
        try:
            async with asyncio.TaskGroup() as group:
                for index in range(prompt.samples):
                    seed = None if prompt.seed is None else prompt.seed + index
                    one = replace(prompt, samples=1, seed=seed)
                    tasks.append(group.create_task(self._sample(one, index, on_token)))
        except ExceptionGroup as failures:
            # One failure cancels the other samples: a reply has all of them or none.
            raise translated(failures.exceptions[0], self._name) from None
        results = [task.result() for task in tasks]
        usage = sum((usage for _, usage in results), Usage())
        usage = replace(usage, seconds=time.perf_counter() - began)
        return Reply(tuple(sample for sample, _ in results), usage, self._name)

    async def _sample(
        self, prompt: Prompt, index: int, on_token: OnToken | None
    ) -> tuple[Sample, Usage]:
        if prompt.schema is None:
            return await self._request(prompt, index, on_token)
        if self._native:
            try:
                return await self._request(prompt, index, on_token)
            except ModelRefused as refusal:
                if refusal.hint:  # key, name, credit, length: not about the schema
                    raise
            sample, usage = await self._prompted(prompt, index, on_token)
            self._native = False  # only now is it certain that the schema was the trouble
            return sample, usage
        return await self._prompted(prompt, index, on_token)

    async def _prompted(
        self, prompt: Prompt, index: int, on_token: OnToken | None
    ) -> tuple[Sample, Usage]:
        assert prompt.schema is not None
        rule = load("schema").fill(schema=json.dumps(prompt.schema))
        asked = replace(prompt, schema=None, messages=(*rule, *prompt.messages))
        sample, usage = await self._request(asked, index, on_token)
        trouble = complaint(unfenced(sample.text), prompt.schema)
        if trouble is None or sample.finish == "length":
            return sample, usage
        again = load("schema_again").fill(reply=sample.text, problem=trouble)
        asked = replace(asked, messages=(*asked.messages, *again))
        second, more = await self._request(asked, index, on_token)
        return second, usage + more

    async def _request(
        self, prompt: Prompt, index: int, on_token: OnToken | None
    ) -> tuple[Sample, Usage]:
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._model.request_stream(
                    _messages(prompt), self._settings(prompt), _parameters(prompt)
                ) as stream,
            ):
                limit = prompt.max_tokens * CHARACTERS_PER_TOKEN
                await _drain(stream, limit, index, on_token)
                response = stream.get()
        except TimeoutError:
            raise ModelUnavailable(
                f"{self._name} did not finish within {self._timeout_s:g} s", timeout=True
            ) from None
        except Exception as error:
            raise translated(error, self._name) from None
        return _sample_of(response, self._name), _usage_of(response)

    def _settings(self, prompt: Prompt) -> ModelSettings:
        settings = ModelSettings(
            max_tokens=prompt.max_tokens,
            temperature=prompt.temperature,
            timeout=self._timeout_s,
        )
        if prompt.seed is not None:
            settings["seed"] = prompt.seed
        if prompt.stop:
            settings["stop_sequences"] = list(prompt.stop)
        return settings


async def _drain(
    stream: StreamedResponse, limit: int, index: int, on_token: OnToken | None
) -> None:
    """Read the answer to its end, showing each piece; give up on one that has no end."""
    length = 0
    try:
        async for event in stream:
            piece = _piece(event)
            length += len(piece)
            if length > limit and not stream.cancelled:
                await stream.cancel()  # ends the iteration; leaving it by force would leak it
            elif piece and on_token and not stream.cancelled:
                on_token(index, piece)
    except Exception:
        if not stream.cancelled:
            raise
    if stream.cancelled:
        raise ModelNonsense(f"{stream.model_name} goes on writing beyond the limit of tokens")


def _piece(event: object) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _sample_of(response: ModelResponse, name: str) -> Sample:
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    if response.finish_reason is None and not text:
        raise ModelNonsense(f"{name} answered something that is not a reply")
    if response.finish_reason is None:
        raise ModelUnavailable(f"{name} broke off in the middle of an answer")
    if response.finish_reason == "content_filter":
        raise ModelRefused(f"{name}: the provider's content filter stopped the answer")
    return Sample(text, "length" if response.finish_reason == "length" else "stop")


def _usage_of(response: ModelResponse) -> Usage:
    used = response.usage
    return Usage(
        prompt_tokens=used.input_tokens,
        cached_tokens=min(used.cache_read_tokens, used.input_tokens),
        output_tokens=used.output_tokens,
        calls=1,
    )


def _messages(prompt: Prompt) -> list[ModelMessage]:
    """Neighbours of one side in one message, as every provider expects them."""
    messages: list[ModelMessage] = []
    for message in prompt.messages:
        if message.author == "assistant":
            messages.append(ModelResponse(parts=[TextPart(message.text)]))
            continue
        part = (
            SystemPromptPart(message.text)
            if message.author == "system"
            else UserPromptPart(message.text)
        )
        last = messages[-1] if messages else None
        if isinstance(last, ModelRequest):
            last.parts = [*last.parts, part]
        else:
            messages.append(ModelRequest(parts=[part]))
    return messages


def _parameters(prompt: Prompt) -> ModelRequestParameters:
    if prompt.schema is None:
        return ModelRequestParameters()
    shape = OutputObjectDefinition(json_schema=dict(prompt.schema), name="reply")
    return ModelRequestParameters(output_mode="native", output_object=shape)


def translated(error: Exception, model: str) -> ModelError:
    """The one error of ours that says the same. Nothing foreign leaves the models layer."""
    if isinstance(error, ModelError):
        return error
    text = f"{model}: {_short(error)}"
    hint = next((said for kind, said in _HINTS if isinstance(error, kind)), "")
    if isinstance(error, TRY_AGAIN) and not isinstance(error, foreign.ModelQuotaExceededError):
        return _unavailable(text, error)
    if hint:
        return ModelRefused(text, hint=hint)
    if isinstance(error, foreign.ModelHTTPError):
        again = error.status_code >= 500 or error.status_code in TRY_AGAIN_STATUS
        return _unavailable(text, error) if again else ModelRefused(text)
    if isinstance(error, foreign.ModelRequestRejectedError | foreign.UserError):
        return ModelRefused(text)
    if isinstance(error.__cause__, ValueError):  # JSON or text that could not be decoded
        return ModelNonsense(text)
    if isinstance(error, foreign.ModelAPIError | OSError):
        return _unavailable(text, error)
    if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2"):
        return ModelUnavailable(text)
    # Whatever a parser in between stumbled over, the answer was not one.
    return ModelNonsense(text)


def _unavailable(text: str, error: Exception) -> ModelUnavailable:
    wait_s = getattr(error, "retry_after", None)
    return (
        ModelUnavailable(text) if wait_s is None else ModelUnavailable(text, retry_after_s=wait_s)
    )


def _short(error: Exception) -> str:
    if isinstance(error, foreign.ModelHTTPError):
        return f"answered {error.status_code}: {str(error.body)[:SHOWN_CHARACTERS]}"
    return (str(error) or type(error).__name__)[:SHOWN_CHARACTERS]
