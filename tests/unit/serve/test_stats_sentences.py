"""Figures as sentences."""

from typing import Any

from hammerstone.serve.cli.data.stats import sentences


def row(value: float, **labels: str) -> dict[str, Any]:
    return {"labels": labels, "value": value}


def test_figures_read_as_sentences_without_metric_names() -> None:
    found: dict[str, Any] = {
        "hammerstone_requests_total": [
            row(40, name="ask", status="success"),
            row(2, name="ask", status="error"),
        ],
        "hammerstone_request_seconds": [
            {"labels": {"name": "ask"}, "count": 42, "p50": 0.04, "p95": 12.0}
        ],
        "hammerstone_cache_hits_total": [row(10, cache="request")],
        "hammerstone_cache_misses_total": [row(32, cache="request"), row(3, cache="execution")],
        "hammerstone_tool_calls_total": [
            row(30, tool="mean", status="success"),
            row(1, tool="median", status="success"),
        ],
        "hammerstone_model_calls_total": [row(1, model="local", status="success")],
        "hammerstone_model_tokens_total": [
            row(1200, model="local", type="input"),
            row(1, model="local", type="output"),
        ],
        "hammerstone_model_price_usd_total": [row(0.0123, model="local")],
        "hammerstone_sandbox_runs_total": [row(5, status="success"), row(1, status="timeout")],
    }
    assert sentences(found) == [
        "42 requests, 2 of them without an answer.",
        "Half of them were answered within 40 ms, 19 of 20 within 12 s.",
        "10 of 42 requests had been answered before, word for word.",
        "2 tools ran 31 times, most often mean (30) and median (1).",
        "The model local was asked 1 time; it read 1,200 tokens and wrote 1 token.",
        "Models cost $0.01 in all.",
        "The sandbox ran 6 programs; 1 of them ended with an error.",
    ]
    assert sentences({}) == []
