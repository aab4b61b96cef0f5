"""Metrics from finished traces: whatever has a span is counted here and nowhere else.

So a number on the metrics page and the same number summed over the stored traces agree.
"""

from collections.abc import Mapping

from hammerstone.core.json_types import Json
from hammerstone.tracing import genai
from hammerstone.tracing.metrics import Metric, Metrics
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace

METRICS = (
    Metric("hammerstone_requests_total", "counter", "Traces that ended.", ("name", "status")),
    Metric("hammerstone_request_seconds", "histogram", "Time from start to end.", ("name",)),
    Metric(
        "hammerstone_model_calls_total", "counter", "Samples asked of models.", ("model", "status")
    ),
    Metric("hammerstone_model_seconds", "histogram", "Time a model took.", ("model",)),
    Metric(
        "hammerstone_model_tokens_total",
        "counter",
        "Tokens read (input), of these from the cache (cached), and written (output).",
        ("model", "type"),
    ),
    Metric("hammerstone_model_price_usd_total", "counter", "What models cost.", ("model",)),
    Metric("hammerstone_tool_calls_total", "counter", "Calls of tools.", ("tool", "status")),
    Metric("hammerstone_tool_seconds", "histogram", "Time a tool took, cache hits too.", ("tool",)),
    Metric("hammerstone_cache_hits_total", "counter", "Work that was not done again.", ("cache",)),
    Metric("hammerstone_cache_misses_total", "counter", "Work not in the cache.", ("cache",)),
    Metric("hammerstone_sandbox_runs_total", "counter", "Runs in the sandbox.", ("status",)),
    Metric("hammerstone_sandbox_seconds", "histogram", "Time a run took in the sandbox."),
    Metric("hammerstone_failed_exports", "gauge", "Traces an exporter did not take."),
    Metric(
        "hammerstone_learning",
        "gauge",
        "How learning went in the last seven days: success, cache hits, repairs and the like.",
        ("metric",),
    ),
    Metric(
        "hammerstone_breaker_state",
        "gauge",
        "Circuit breakers: 0 closed, 1 half open, 2 open.",
        ("service",),
    ),
)
_SANDBOX_FAILURE = "sandbox.failure"  # a failed run is a value: the span itself succeeded
_CACHES = {"model": "model", "tool": "execution", "run": "request"}


class TraceMeter:
    """An observer for the tracer that turns every finished trace into metrics."""

    def __init__(self, metrics: Metrics | None = None) -> None:
        self.metrics = metrics or Metrics(METRICS)

    def watch(self, tracer: Tracer) -> None:
        """Show how many traces the tracer's exporters did not take."""
        self.metrics.read_from(
            "hammerstone_failed_exports", lambda: [({}, float(tracer.failed_exports))]
        )

    def __call__(self, trace: FinishedTrace) -> None:
        add, observe = self.metrics.add, self.metrics.observe
        add("hammerstone_requests_total", name=trace.name, status=trace.status)
        observe("hammerstone_request_seconds", trace.duration_s, name=trace.name)
        kinds = {span.span_id: span.kind for span in trace.spans}
        for span in trace.spans:
            # A wrapper (retry, fallback) and the call inside it are one call; the outer span
            # carries the sum. The same holds for a matrix in the sandbox and its runs.
            if span.parent_id is not None and kinds.get(span.parent_id) == span.kind:
                continue
            self._cache(span)
            if span.kind == "model":
                self._model(span)
            elif span.kind == "tool":
                name = _text(span.attributes, genai.TOOL_NAME) or span.name.split(" ")[-1]
                add("hammerstone_tool_calls_total", tool=name, status=span.status)
                observe("hammerstone_tool_seconds", span.duration_s, tool=name)
            elif span.kind == "sandbox":
                status = _text(span.attributes, _SANDBOX_FAILURE) or str(span.status)
                add("hammerstone_sandbox_runs_total", status=status)
                observe("hammerstone_sandbox_seconds", span.duration_s)

    def _model(self, span: FinishedSpan) -> None:
        about = span.attributes
        model = _text(about, genai.REQUEST_MODEL) or span.name.split(" ")[-1]
        calls = number_of(about, genai.CALLS, number_of(about, genai.CHOICES, 1.0))
        self.metrics.add("hammerstone_model_calls_total", calls, model=model, status=span.status)
        self.metrics.observe("hammerstone_model_seconds", span.duration_s, model=model)
        for kind, key in (
            ("input", genai.INPUT_TOKENS),
            ("cached", genai.CACHED_TOKENS),
            ("output", genai.OUTPUT_TOKENS),
        ):
            tokens = number_of(about, key, 0.0)
            if tokens:
                self.metrics.add("hammerstone_model_tokens_total", tokens, model=model, type=kind)
        price = number_of(about, genai.PRICE_USD, 0.0)
        if price:
            self.metrics.add("hammerstone_model_price_usd_total", price, model=model)

    def _cache(self, span: FinishedSpan) -> None:
        hit = span.attributes.get(genai.CACHE_HIT)
        cache = _CACHES.get(span.kind)
        if isinstance(hit, bool) and cache is not None:
            name = "hammerstone_cache_hits_total" if hit else "hammerstone_cache_misses_total"
            self.metrics.add(name, cache=cache)


def _text(attributes: Mapping[str, Json], key: str) -> str:
    value = attributes.get(key)
    return value if isinstance(value, str) else ""


def number_of(attributes: Mapping[str, Json], key: str, default: float = 0) -> float:
    """A number among a span's attributes; the default where there is none."""
    value = attributes.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return max(float(value), 0.0)
