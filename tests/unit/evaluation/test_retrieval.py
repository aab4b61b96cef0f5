"""The measuring itself: known values, folds that do not leak, files that are broken."""

import json
import math
import random
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.evaluation.retrieval.data import (
    read_requests,
    read_tools,
    read_unanswerable,
)
from hammerstone.evaluation.retrieval.retrieval import evaluate, halves
from hammerstone.library.search.fit.fits import FitObservation, LabelledRequest, measure
from hammerstone.library.search.fit.gate import NAMES, FitGate, shipped_gate
from hammerstone.library.search.fit.measures import Quality, auroc, calibration_error
from hammerstone.library.search.fit.signals import Signals
from hammerstone.models.embedding.hashed import HashedEmbedder

WAYS = ("bm25", "vector", "fused_70_30", "ours")
TOPICS = (
    "triangle",
    "loan",
    "weather",
    "recipe",
    "train",
    "song",
    "garden",
    "planet",
    "court",
    "visa",
)


def lines(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def files(folder: Path) -> tuple[Path, Path, Path]:
    tools = [
        {
            "name": f"{topic}.find",
            "description": f"Find everything about a {topic}.",
            "parameters": {"type": "dict", "properties": {"n": {"type": "float"}}},
        }
        for topic in TOPICS
    ]
    requests = [
        {"query": f"tell me about the {topic} number {n}", "tools": [f"{topic}.find"]}
        for topic in TOPICS
        for n in range(10)
    ]
    nothing = [
        {
            "query": f"who owns bicycle number {n}",
            "offered": [{"name": f"paint_{n}", "description": "Paint a wall."}],
        }
        for n in range(10)
    ]
    return (
        lines(folder / "tools.jsonl", [*tools]),
        lines(folder / "queries.jsonl", [*requests]),
        lines(folder / "nothing.jsonl", [*nothing]),
    )


def signals(**values: float) -> Signals:
    return Signals(**{name: values.get(name, 0.0) for name in NAMES})


def test_quality_of_known_orders() -> None:
    quality = Quality()
    quality.add(["a", "b", "c"], frozenset({"a"}))
    quality.add(["b", "a", "c"], frozenset({"a"}))
    quality.add(["b", "c", "d"], frozenset({"a"}))
    found = quality.to_json()
    assert found["recall_at_1"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["recall_at_3"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["mrr_at_10"] == pytest.approx(1.5 / 3, abs=1e-4)
    assert found["ndcg_at_10"] == pytest.approx((1 + 1 / math.log2(3)) / 3, abs=1e-4)


def test_two_right_tools_are_both_wanted() -> None:
    quality = Quality()
    quality.add(["a", "x", "b"], frozenset({"a", "b"}))
    found = quality.to_json()
    assert (found["recall_at_1"], found["recall_at_3"]) == (1.0, 1.0)
    assert found["ndcg_at_10"] < 1


def test_auroc_and_calibration_of_known_values() -> None:
    assert auroc([0.9, 0.8, 0.2, 0.1], [True, True, False, False]) == 1.0
    assert auroc([0.1, 0.9], [True, False]) == 0.0
    assert auroc([0.5, 0.5, 0.5, 0.5], [True, False, True, False]) == 0.5
    assert math.isnan(auroc([0.5], [True]))
    assert calibration_error([1.0, 0.0], [True, False]) == 0.0
    assert calibration_error([0.9, 0.9], [False, False]) == pytest.approx(0.9)


def test_a_gate_learns_what_separates_and_ignores_the_rest() -> None:
    rng = random.Random(3)
    seen, fits = [], []
    for _ in range(400):
        cosine = rng.random()
        seen.append(signals(cosine=cosine, words=rng.random()))
        fits.append(rng.random() < 1 / (1 + math.exp(-12 * (cosine - 0.5))))
    gate = FitGate.fitted(seen, fits)
    assert gate.probability(signals(cosine=0.9, words=0.5)) > 0.9
    assert gate.probability(signals(cosine=0.1, words=0.5)) < 0.1
    weights = gate.to_json()
    assert weights["cosine"] > 5 * abs(weights["words"])
    assert FitGate.from_json(weights).probability(signals(cosine=0.7)) == pytest.approx(
        gate.probability(signals(cosine=0.7)), abs=1e-3
    )


def test_a_gate_needs_both_kinds() -> None:
    with pytest.raises(BadRequest):
        FitGate.fitted([signals(), signals()], [True, True])


def test_folds_are_split_by_tool() -> None:
    """A signal that only tells tools apart is worth nothing on tools that were not seen."""
    rng = random.Random(5)
    decisions = []
    for number in range(60):
        fits = rng.random() < 0.5
        mark = rng.random()
        decisions += [
            FitObservation(signals(cosine=mark), fits, f"tool{number}") for _ in range(10)
        ]
    found = measure(decisions)["auroc"]
    assert found is not None
    assert abs(found - 0.5) < 0.25


def test_too_few_tools_are_not_judged() -> None:
    decisions = [FitObservation(signals(), fits, "same") for fits in (True, False)]
    assert measure(decisions)["auroc"] is None


def test_the_shipped_gate_reads_signals_the_right_way() -> None:
    for meaning in (True, False):
        gate = shipped_gate(meaning=meaning)
        base = signals(
            cosine=0.5, words=0.2, request_told=0.4, name_said=0.4, margin=0.05, lead=0.1
        )
        good = signals(
            cosine=0.9, words=0.2, request_told=0.9, name_said=1.0, margin=0.15, lead=0.2
        )
        assert gate.probability(good) > gate.probability(base)


async def test_the_report_has_every_key_and_is_the_same_twice(tmp_path: Path) -> None:
    tools_file, queries_file, nothing_file = files(tmp_path)
    tools = read_tools(tools_file)
    requests = read_requests(queries_file, tools)
    nothing = read_unanswerable(nothing_file)
    first = await evaluate(tools, requests, nothing, HashedEmbedder())
    second = await evaluate(tools, requests, nothing, HashedEmbedder())
    for way in WAYS:
        assert set(first[way]) == {
            "recall_at_1",
            "recall_at_3",
            "recall_at_5",
            "mrr_at_10",
            "ndcg_at_10",
            "p50_ms",
            "p95_ms",
        }
        assert first[way]["recall_at_1"] == second[way]["recall_at_1"] > 0.9
        assert first[way]["p50_ms"] > 0
    assert set(first["after_use"]) == {"0", "1", "5", "20"}
    assert first["bm25"]["recall_at_1"] == 1.0
    assert first["after_use"]["0"] > 0.8
    assert first["after_use"]["5"] >= first["after_use"]["0"]
    assert first["after_use"]["20"] is None
    assert first["fit"]["auroc"] > 0.9
    assert {"auroc", "accuracy"} <= set(first["fit_whole_library"])


def test_what_is_measured_is_never_learned_from(tmp_path: Path) -> None:
    tools_file, queries_file, _ = files(tmp_path)
    requests = read_requests(queries_file, read_tools(tools_file))
    measured, pool = halves(requests)
    learned = {row for rows in pool.values() for row in rows}
    assert len(measured) == len(learned) == len(requests) // 2
    assert not learned & set(measured)
    assert learned | set(measured) == set(range(len(requests)))
    again, _ = halves(requests[::-1])
    assert {requests[row].request for row in measured} == {
        requests[::-1][row].request for row in again
    }


def test_a_request_that_is_asked_twice_is_not_learned_and_measured() -> None:
    texts = [f"request {n}" for n in range(8)]
    requests = [LabelledRequest(text, frozenset({"a"})) for text in texts]
    requests += [LabelledRequest(f"{text.upper()}?", frozenset({"a"})) for text in texts]
    requests += [LabelledRequest(text, frozenset({"b"})) for text in texts]
    measured, pool = halves(requests)
    asked = {requests[row].request.lower().rstrip("?") for row in measured}
    learned = {requests[row].request.lower() for rows in pool.values() for row in rows}
    assert asked
    assert not asked & learned


@pytest.mark.parametrize(
    "content",
    [
        '{"name": ',
        '["name"]',
        '{"description": "no name"}',
    ],
)
def test_broken_tool_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tools.jsonl"
    path.write_text(content)
    with pytest.raises(BadRequest):
        read_tools(path)


def test_missing_files_and_wrong_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="cannot be read"):
        read_tools(tmp_path / "none.jsonl")
    tools = read_tools(files(tmp_path)[0])
    for row in ({"query": "a", "tools": ["unknown"]}, {"query": "a"}, {"tools": []}):
        with pytest.raises(BadRequest):
            read_requests(lines(tmp_path / "bad.jsonl", [row]), tools)
    with pytest.raises(BadRequest):
        read_unanswerable(lines(tmp_path / "bad.jsonl", [{"query": "a"}]))


def test_a_signal_that_tells_fits_apart_is_worth_everything() -> None:
    decisions = [
        FitObservation(signals(cosine=0.9 if number % 2 else 0.1), bool(number % 2), f"t{number}")
        for number in range(60)
    ]
    found = measure(decisions)
    assert (found["auroc"], found["accuracy"], found["decisions"]) == (1.0, 1.0, 60)
