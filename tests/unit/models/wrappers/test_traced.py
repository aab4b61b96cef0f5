"""A call to a model as it stands in a finished trace."""

import contextlib

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers.traced import TracedModel
from hammerstone.tracing.scrub import Scrubber
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace


class Kept:
    """An exporter that keeps what it is given."""

    def __init__(self) -> None:
        self.traces: list[FinishedTrace] = []

    async def export(self, trace: FinishedTrace) -> None:
        self.traces.append(trace)

    async def close(self) -> None:
        """Nothing to let go of."""


async def _span_of(model: TracedModel, prompt: Prompt) -> FinishedSpan:
    kept = Kept()
    async with Tracer([kept], Scrubber()).trace("test"):
        with contextlib.suppress(ModelUnavailable):
            await model.complete(prompt)
    return kept.traces[0].spans[1]


async def test_span_in_the_words_of_the_conventions() -> None:
    model = TracedModel(ScriptedModel(["hi there"], name="tiny"), "local")
    kept = await _span_of(model, Prompt.of("s", "hello", seed=3, purpose="code"))
    assert (kept.name, kept.kind) == ("chat tiny", "model")
    assert kept.attributes["gen_ai.operation.name"] == "chat"
    assert kept.attributes["gen_ai.request.model"] == "tiny"
    assert kept.attributes["gen_ai.request.seed"] == 3
    assert kept.attributes["hammerstone.purpose"] == "code"
    assert kept.attributes["gen_ai.usage.output_tokens"] == 2
    assert kept.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    assert "hi there" in str(kept.output)


async def test_failure_marks_the_span() -> None:
    model = TracedModel(ScriptedModel([ModelUnavailable("down")]), "local")
    kept = await _span_of(model, Prompt.of("s", "hello"))
    assert "down" in str(kept.error) and kept.status == "error"


async def test_outside_a_trace_nothing_is_recorded_and_all_works() -> None:
    model = TracedModel(ScriptedModel(["hi"]), "local")
    assert (await model.complete(Prompt.of("s", "hello"))).text == "hi"
    with pytest.raises(ModelUnavailable):
        await TracedModel(ScriptedModel([ModelUnavailable("x")]), "local").complete(
            Prompt.of("s", "u")
        )
