"""What the steps of a trace cost: calls of models, tokens and price."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from hammerstone.core.json_types import JsonObject
from hammerstone.storage import SpanRow
from hammerstone.tracing import genai
from hammerstone.tracing.measure import number_of


@dataclass(frozen=True, slots=True)
class TraceCost:
    """`model_calls` counts samples: one question that is asked four times is four calls."""

    model_calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    usd: float = 0.0

    def __add__(self, other: "TraceCost") -> "TraceCost":
        return TraceCost(
            self.model_calls + other.model_calls,
            self.tokens_in + other.tokens_in,
            self.tokens_cached + other.tokens_cached,
            self.tokens_out + other.tokens_out,
            self.usd + other.usd,
        )

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def to_json(self) -> JsonObject:
        return {**asdict(self), "tokens": self.tokens}


def span_cost(span: SpanRow) -> TraceCost:
    """What one call of a model says that it cost; nothing for any other step."""
    if span.kind != "model":
        return TraceCost()
    about = span.attributes
    return TraceCost(
        model_calls=int(number_of(about, genai.CALLS, number_of(about, genai.CHOICES, 1))),
        tokens_in=int(number_of(about, genai.INPUT_TOKENS)),
        tokens_cached=int(number_of(about, genai.CACHED_TOKENS)),
        tokens_out=int(number_of(about, genai.OUTPUT_TOKENS)),
        usd=number_of(about, genai.PRICE_USD),
    )


def cost_of(spans: Sequence[SpanRow]) -> TraceCost:
    """What all of it cost. A retry and the call inside it are one call: the outer has the sum."""
    return total(span_cost(span) for span in outer_calls(spans))


def outer_calls(spans: Sequence[SpanRow]) -> list[SpanRow]:
    """The calls of models that are not part of another one, in order."""
    kinds = {span.id: span.kind for span in spans}
    return [s for s in spans if s.kind == "model" and kinds.get(s.parent_id or "") != "model"]


def total(costs: Iterable[TraceCost]) -> TraceCost:
    return sum(costs, TraceCost())
