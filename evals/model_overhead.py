"""What the model layer costs per call over the bare client, and what a span costs.

The same streamed question goes to an endpoint on loopback four ways, interleaved so that noise
hits all alike: the provider's own client, pydantic-ai, our adapter, and `open_models` with all
its wrappers. The wrappers and the span are also measured alone, without HTTP. Counted is CPU
time, the endpoint's share included in each way alike, so that other work on the machine does
not show.

    python -m evals.model_overhead [--set instant|quick|full] [--json]
"""

import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from evals.faulty_endpoint import FaultyEndpoint
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.chat import Prompt, Reply, Role, Sample, Usage
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.opening import ModelHandling, Models, bare_model
from hammerstone.models.wrappers.breaker import Breaker, GuardedModel
from hammerstone.models.wrappers.cache import CachedModel, ReplyCache
from hammerstone.models.wrappers.meter import BudgetedModel, Meter, MeteredModel
from hammerstone.models.wrappers.retry import RetryingModel
from hammerstone.models.wrappers.traced import TracedModel
from hammerstone.tracing import span

READINGS = (
    Reading(
        "http_ms all wrappers",
        "one streamed call",
        baseline="http_ms client",
        beside="the provider's client",
    ),
    Reading("layer_over_client_ms", "the layer over the provider's client", target=1.0),
    Reading("own_layer_over_pydantic_ai_ms", "of that, our own code"),
    Reading("wrappers_alone_ms", "all wrappers alone, without HTTP", target=1.0),
    Reading("span_ms", "one span, outside a trace", target=1.0),
)
ANSWER = "forty two is the answer to what you asked"


class Unlimited:
    def reserve(self, tokens: int = 0, calls: int = 1) -> AbstractContextManager[None]:
        return nullcontext()

    def spend(self, usage: Usage) -> None: ...


async def over_http(calls: int) -> dict[str, float]:
    """Milliseconds per call, median, for each way."""
    from openai import AsyncOpenAI
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.settings import ModelSettings

    endpoint = FaultyEndpoint(answer=lambda _: ANSWER)
    with tempfile.TemporaryDirectory() as folder:
        async with endpoint.running():
            settings = Settings(
                data_dir=Path(folder),
                openai_base_url=f"{endpoint.url}/v1",
                openai_model="m",
                openai_api_key="k",  # type: ignore[arg-type]
            )
            client = AsyncOpenAI(base_url=f"{endpoint.url}/v1", api_key="k", max_retries=0)
            bare = bare_model("compatible:m", settings)
            models = Models(settings, handling=ModelHandling(cached_replies=0))
            full = models.for_role(Role.CODER, allowance=Unlimited())

            async def own_client(number: int) -> None:
                stream = await client.chat.completions.create(
                    model="m",
                    messages=[
                        {"role": "system", "content": "s"},
                        {"role": "user", "content": f"q {number}"},
                    ],
                    max_tokens=50,
                    temperature=0,
                    stream=True,
                    stream_options={"include_usage": True},
                )
                text = ""
                async for chunk in stream:
                    text += chunk.choices[0].delta.content or "" if chunk.choices else ""
                assert text == ANSWER

            async def adapter(number: int) -> None:
                reply = await bare.complete(Prompt.of("s", f"q {number}", max_tokens=50))
                assert reply.text == ANSWER

            async def wrapped(number: int) -> None:
                reply = await full.complete(Prompt.of("s", f"q {number}", max_tokens=50))
                assert reply.text == ANSWER

            foreign = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))

            async def pydantic_ai(number: int) -> None:
                parts = [SystemPromptPart("s"), UserPromptPart(f"q {number}")]
                options = ModelSettings(max_tokens=50, temperature=0, timeout=120)
                async with foreign.request_stream(
                    [ModelRequest(parts=parts)], options, ModelRequestParameters()
                ) as stream:
                    async for _ in stream:
                        pass
                    assert stream.get().text == ANSWER

            ways = {
                "client": own_client,
                "pydantic-ai": pydantic_ai,
                "adapter": adapter,
                "all wrappers": wrapped,
            }
            medians = await _interleaved(ways, calls)
            await models.close()
            await bare.close()
            await client.close()
    return medians


async def without_http(calls: int) -> dict[str, float]:
    """Milliseconds that the wrappers add to a call that costs nothing itself."""
    reply = Reply((Sample(ANSWER),), Usage(9, 0, 9, calls=1), "m")

    class Instant(ScriptedModel):
        async def complete(self, prompt: Prompt, **_: Any) -> Reply:
            return reply

    inner = Instant([])
    wrapped = BudgetedModel(
        CachedModel(
            RetryingModel(
                GuardedModel(
                    TracedModel(MeteredModel(inner, Meter(), "openai"), "openai"), Breaker("m")
                )
            ),
            ReplyCache(),
        ),
        Unlimited(),
    )

    async def alone(number: int) -> None:
        await inner.complete(Prompt.of("s", f"q {number}"))

    async def all_of_them(number: int) -> None:
        await wrapped.complete(Prompt.of("s", f"q {number}"))

    async def one_span(number: int) -> None:
        with span("chat m", kind="model", input=[{"role": "user", "content": "q"}]) as current:
            current.set("gen_ai.usage.input_tokens", number)
            current.output = ANSWER

    ways = {"nothing": alone, "wrappers": all_of_them, "span": one_span}
    return await _interleaved(ways, calls * 10)


async def _interleaved(
    ways: dict[str, Callable[[int], Awaitable[None]]], calls: int
) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(calls + 10):
        for name, way in ways.items():
            began = time.process_time()
            await way(number)
            if number >= 10:  # the first ones open connections and fill caches
                times[name].append((time.process_time() - began) * 1000)
    return {name: round(statistics.median(taken), 4) for name, taken in times.items()}


async def measure(calls: int) -> dict[str, Any]:
    http = await over_http(calls)
    plain = await without_http(calls)
    return {
        "http_ms": http,
        "plain_ms": plain,
        "own_layer_over_pydantic_ai_ms": round(http["all wrappers"] - http["pydantic-ai"], 3),
        "layer_over_client_ms": round(http["all wrappers"] - http["client"], 3),
        "wrappers_alone_ms": round(plain["wrappers"] - plain["nothing"], 3),
        "span_ms": round(plain["span"] - plain["nothing"], 4),
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Processor time of one call, each way, in rounds."""
    calls = amount(context, instant=40, quick=100, full=200)

    async def once() -> dict[str, Any]:
        return await own_process(measure, calls=calls)

    found = rounds(context, amount(context, instant=1, quick=2, full=5), once, READINGS)
    async for finding in found:
        yield finding


if __name__ == "__main__":
    measured("model_overhead")
