"""Metrics: what a scraper reads, and that traces are counted once."""

import re
import threading

import pytest

from hammerstone.core.calls import Failure
from hammerstone.core.chat import Prompt, Reply, Sample, Usage
from hammerstone.tracing import FinishedTrace, Tracer, genai, span
from hammerstone.tracing.measure import METRICS, Metric, Metrics, TraceMeter

LINE = re.compile(
    r'[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (?:[0-9.e+-]+|[+-]Inf|NaN)'
)


def registry() -> Metrics:
    return Metrics(
        [
            Metric("calls_total", "counter", "Calls.", ("model",)),
            Metric("state", "gauge", "State.", ("service",)),
            Metric("seconds", "histogram", "Time.", buckets=(0.1, 1.0)),
        ]
    )


def test_the_page_is_in_the_text_format() -> None:
    metrics = registry()
    metrics.add("calls_total", model='a "b"\\\n')
    metrics.add("calls_total", 2.5, model='a "b"\\\n')
    metrics.read_from("state", lambda: [({"service": "openai"}, 2.0)])
    for value in (0.05, 0.1, 0.5, 7.0):
        metrics.observe("seconds", value)
    assert metrics.render() == (
        "# HELP calls_total Calls.\n"
        "# TYPE calls_total counter\n"
        'calls_total{model="a \\"b\\"\\\\\\n"} 3.5\n'
        "# HELP state State.\n"
        "# TYPE state gauge\n"
        'state{service="openai"} 2\n'
        "# HELP seconds Time.\n"
        "# TYPE seconds histogram\n"
        'seconds_bucket{le="0.1"} 2\n'
        'seconds_bucket{le="1"} 3\n'
        'seconds_bucket{le="+Inf"} 4\n'
        "seconds_sum 7.65\n"
        "seconds_count 4\n"
    )


def test_as_a_dict() -> None:
    metrics = registry()
    metrics.add("calls_total", model="m")
    for value in (0.05, 0.06, 7.0):
        metrics.observe("seconds", value)
    assert metrics.to_dict() == {
        "calls_total": [{"labels": {"model": "m"}, "value": 1.0}],
        "state": [],
        "seconds": [
            {"labels": {}, "count": 3, "sum": pytest.approx(7.11), "p50": 0.1, "p95": None}
        ],
    }


def test_mistakes_are_refused() -> None:
    metrics = registry()
    with pytest.raises(ValueError, match="labels"):
        metrics.add("calls_total", service="x")
    with pytest.raises(ValueError, match="only counts up"):
        metrics.add("calls_total", -1, model="x")
    with pytest.raises(KeyError):
        metrics.add("unknown_total")


def test_endless_names_do_not_use_endless_memory() -> None:
    metrics = registry()
    for number in range(5_000):
        metrics.add("calls_total", model=f"tool{number}")
    page = metrics.render()
    assert page.count("calls_total{") == 501
    assert 'calls_total{model="other"} 4500' in page


def test_threads_lose_no_count() -> None:
    metrics = registry()

    def work() -> None:
        for _ in range(2_000):
            metrics.add("calls_total", model="m")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 'calls_total{model="m"} 8000' in metrics.render()


async def test_a_trace_is_counted_once_even_through_wrappers() -> None:
    meter = TraceMeter()
    tracer = Tracer([], lambda value: value, keep=lambda trace: False)
    tracer.observe(meter)
    prompt = Prompt.of("s", "u")
    usage = Usage(prompt_tokens=30, cached_tokens=10, output_tokens=4, usd=0.25, calls=2)
    reply = Reply((Sample("a"), Sample("b")), usage, "m")
    async with tracer.trace("ask"):
        with genai.chat_span("m", prompt, provider="openai") as outer:
            with genai.chat_span("m", prompt, provider="openai") as inner:
                genai.record_reply(inner, reply)
            genai.record_reply(outer, reply)
        with span("execute_tool add", kind="tool") as tool:
            tool.set(genai.CACHE_HIT, True)
        with span("execute_tool add", kind="tool") as tool:
            tool.set(genai.CACHE_HIT, False)
            with span("sandbox call add", kind="sandbox") as run:
                run.set("sandbox.failure", Failure.TIMEOUT)
            tool.fail("no")
        with span("matrix", kind="sandbox"), span("sandbox call f", kind="sandbox"):
            pass
    meter.metrics.set("hammerstone_breaker_state", 1, service="openai")
    page = meter.metrics.render()
    for line in (
        'hammerstone_requests_total{name="ask",status="success"} 1',
        'hammerstone_model_calls_total{model="m",status="success"} 2',
        'hammerstone_model_tokens_total{model="m",type="input"} 30',
        'hammerstone_model_tokens_total{model="m",type="cached"} 10',
        'hammerstone_model_tokens_total{model="m",type="output"} 4',
        'hammerstone_model_price_usd_total{model="m"} 0.25',
        'hammerstone_model_seconds_count{model="m"} 1',
        'hammerstone_tool_calls_total{tool="add",status="success"} 1',
        'hammerstone_tool_calls_total{tool="add",status="error"} 1',
        'hammerstone_cache_hits_total{cache="execution"} 1',
        'hammerstone_cache_misses_total{cache="execution"} 1',
        'hammerstone_sandbox_runs_total{status="success"} 1',
        'hammerstone_sandbox_runs_total{status="timeout"} 1',
        'hammerstone_breaker_state{service="openai"} 1',
    ):
        assert line in page.splitlines(), line
    for line in page.splitlines():
        assert line.startswith("# ") or LINE.fullmatch(line), line
    assert all(f"# TYPE {metric.name} {metric.kind}" in page for metric in METRICS)


async def test_exports_that_failed_are_shown() -> None:
    class Broken:
        async def export(self, trace: FinishedTrace) -> None:
            raise OSError("the disk is full")

        async def close(self) -> None: ...

    meter = TraceMeter()
    tracer = Tracer([Broken()], lambda value: value)
    tracer.observe(meter)
    meter.watch(tracer)
    async with tracer.trace("ask"):
        pass
    assert "hammerstone_failed_exports 1" in meter.metrics.render().splitlines()
