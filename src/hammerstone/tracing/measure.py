"""A small registry of counters, gauges and histograms, in Prometheus' text form and as a dict.

Own code on purpose: the OpenTelemetry metrics SDK takes 0.1 s to import and needs a second
package to answer a scrape; what is needed here is a page. Whatever has a span is counted here,
from finished traces, and nowhere else: so a number on the metrics page and the same number summed
over the stored traces agree.
"""

import math
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.tracing import genai
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import FinishedSpan, FinishedTrace

LATENCY_S = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
_MAX_SERIES = 500  # of one metric: names come from users' tools, memory must not
_OTHER = "other"

Labels: TypeAlias = Mapping[str, str]
Reading: TypeAlias = Callable[[], Iterable[tuple[Labels, float]]]
"""Current values of a gauge, asked for when somebody looks."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One measured quantity: `name` in Prometheus' style, with its unit at the end."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = LATENCY_S


@dataclass(slots=True)
class _Distribution:
    buckets: list[int]
    count: int = 0
    sum: float = 0.0


@dataclass(slots=True)
class _Series:
    """All values of one metric, by the values of its labels."""

    metric: Metric
    values: dict[tuple[str, ...], float] = field(default_factory=dict[tuple[str, ...], float])
    spread: dict[tuple[str, ...], _Distribution] = field(
        default_factory=dict[tuple[str, ...], _Distribution]
    )

    def key(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        if labels.keys() != set(self.metric.labels):
            raise ValueError(f"{self.metric.name} has the labels {self.metric.labels}")
        key = tuple(labels[name] for name in self.metric.labels)
        known = self.values if self.metric.kind != "histogram" else self.spread
        if key not in known and len(known) >= _MAX_SERIES:
            return (_OTHER,) * len(key)
        return key


class Metrics:
    """Counts what happens in this process. Every method may be called from any thread."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._series = {metric.name: _Series(metric) for metric in metrics}
        self._readings: dict[str, Reading] = {}
        self._lock = threading.Lock()

    def add(self, name: str, amount: float = 1.0, /, **labels: str) -> None:
        """Count up; a counter never goes down, so a negative amount is refused."""
        if amount < 0:
            raise ValueError(f"{name} only counts up")
        with self._lock:
            series = self._series[name]
            key = series.key(labels)
            series.values[key] = series.values.get(key, 0.0) + amount

    def set(self, name: str, value: float, /, **labels: str) -> None:
        with self._lock:
            series = self._series[name]
            series.values[series.key(labels)] = value

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """Add one observation to a histogram."""
        with self._lock:
            series = self._series[name]
            key = series.key(labels)
            seen = series.spread.get(key)
            if seen is None:
                seen = series.spread[key] = _Distribution([0] * (len(series.metric.buckets) + 1))
            seen.buckets[bisect_left(series.metric.buckets, value)] += 1
            seen.count += 1
            seen.sum += value

    def read_from(self, name: str, reading: Reading) -> None:
        """Ask `reading` for a gauge's values each time somebody looks: breaker states and such."""
        self._series[name]  # a name that was not declared is a mistake here, not later
        self._readings[name] = reading

    def render(self) -> str:
        """Everything in Prometheus' text format, for `/metrics`."""
        self._take_readings()
        lines: list[str] = []
        with self._lock:
            for series in self._series.values():
                metric = series.metric
                lines.append(f"# HELP {metric.name} {_escape(metric.help)}")
                lines.append(f"# TYPE {metric.name} {metric.kind}")
                for key, value in sorted(series.values.items()):
                    lines.append(f"{metric.name}{_labels(metric, key)} {_number(value)}")
                for key, seen in sorted(series.spread.items()):
                    lines.extend(_histogram_lines(metric, key, seen))
        return "\n".join(lines) + "\n"

    def to_dict(self) -> JsonObject:
        """Everything as JSON, for `hammerstone stats`: a list of labelled values by name."""
        self._take_readings()
        with self._lock:
            return {name: _rows(series) for name, series in self._series.items()}

    def _take_readings(self) -> None:
        for name, reading in self._readings.items():
            fresh = list(reading())
            with self._lock:
                series = self._series[name]
                series.values.clear()
                for labels, value in fresh:
                    series.values[series.key(labels)] = value


def _histogram_lines(metric: Metric, key: tuple[str, ...], seen: _Distribution) -> list[str]:
    lines: list[str] = []
    below = 0
    for bound, count in zip((*metric.buckets, math.inf), seen.buckets, strict=True):
        below += count
        lines.append(f"{metric.name}_bucket{_labels(metric, key, bound)} {below}")
    lines.append(f"{metric.name}_sum{_labels(metric, key)} {_number(seen.sum)}")
    lines.append(f"{metric.name}_count{_labels(metric, key)} {seen.count}")
    return lines


def _rows(series: _Series) -> Json:
    names = series.metric.labels
    rows: list[Json] = [
        {"labels": dict(zip(names, key, strict=True)), "value": value}
        for key, value in sorted(series.values.items())
    ]
    for key, seen in sorted(series.spread.items()):
        rows.append(
            {
                "labels": dict(zip(names, key, strict=True)),
                "count": seen.count,
                "sum": seen.sum,
                "p50": _quantile(series.metric, seen, 0.5),
                "p95": _quantile(series.metric, seen, 0.95),
            }
        )
    return rows


def _quantile(metric: Metric, seen: _Distribution, share: float) -> float | None:
    """The upper bound of the bucket that holds the quantile; None beyond the last bound."""
    below = 0
    for bound, count in zip(metric.buckets, seen.buckets, strict=False):
        below += count
        if below >= share * seen.count:
            return bound
    return None


def _labels(metric: Metric, key: tuple[str, ...], bound: float | None = None) -> str:
    pairs = [f'{n}="{_escape(v, quote=True)}"' for n, v in zip(metric.labels, key, strict=True)]
    if bound is not None:
        pairs.append(f'le="{_number(bound)}"')
    return "{" + ",".join(pairs) + "}" if pairs else ""


def _escape(text: str, *, quote: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quote else text


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(int(value)) if value == int(value) else repr(value)


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

    def __init__(self) -> None:
        self.metrics = Metrics(METRICS)

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
