import inspect

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers import traced
from hammerstone.models.wrappers.traced import TracedModel
from hammerstone.tracing import span


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every span the wrapper opens, kept."""
    opened: list[object] = []

    def keeping(*args: object, **options: object) -> object:
        opened.append(span(*args, **options))  # type: ignore[arg-type]
        return opened[-1]

    assert inspect.isroutine(span) or callable(span)
    monkeypatch.setattr(traced, "span", keeping)
    return opened


async def test_span_in_the_words_of_the_conventions(spans: list) -> None:
    model = TracedModel(ScriptedModel(["hi there"], name="tiny"), "local")
    await model.complete(Prompt.of("s", "hello", seed=3, purpose="code"))
    (kept,) = spans
    assert (kept.name, kept.kind) == ("chat tiny", "model")
    assert kept.attributes["gen_ai.operation.name"] == "chat"
    assert kept.attributes["gen_ai.request.model"] == "tiny"
    assert kept.attributes["gen_ai.request.seed"] == 3
    assert kept.attributes["hammerstone.purpose"] == "code"
    assert kept.attributes["gen_ai.usage.output_tokens"] == 2
    assert kept.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    assert kept.output == ["hi there"]


async def test_failure_marks_the_span(spans: list) -> None:
    model = TracedModel(ScriptedModel([ModelUnavailable("down")]), "local")
    with pytest.raises(ModelUnavailable):
        await model.complete(Prompt.of("s", "hello"))
    assert "down" in str(spans[0].error)
