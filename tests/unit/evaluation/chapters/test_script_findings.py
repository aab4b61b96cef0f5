"""Reports of the repository's scripts become cases and numbers; a bad report is a failed case."""

from collections.abc import AsyncGenerator, Callable
from importlib import import_module
from typing import Any

import pytest

from hammerstone.core.evaluations import CaseOutcome, EvaluationSet, MetricValue
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding

PRESS = {"act": "ask", "after_s": 1.0, "underway": True, "quiet_s": 0.2, "model_calls_after": 0,
         "told": True}  # fmt: skip
FUZZED = {"name": "x", "sender": "guest", "cases": 50, "uncaught": 0, "slowest_s": 0.1,
          "longest_pause_s": 0.1, "errors": []}  # fmt: skip
ROUND = {"whole": True, "acknowledged": 5, "lost": 0, "problems": []}
ROUNDS = {"rounds": 1, "rounds_whole": 1, "acknowledged_lost": 0, "lock_errors": 0, "kills": 2,
          "each": [ROUND], "refused": []}  # fmt: skip
STAGE = {"calls": 40, "calls_per_s": 9.0, "descriptors": 20, "processes": 3, "cgroups": 1,
         "resident_kb": 90_000}  # fmt: skip
STEP = {"new_executions": 100, "runs": 40, "seconds": 0.5, "cpu_seconds": 0.4, "patterns": 3}
MINED = {"steps": [STEP] * 4, "poisoned_is_ripe": False, "peak_memory_mb": 99.0}
PAGE = {"lesser": [], "serious": [], "wider_than_screen": False}
SEEN = {"pages": {"start light 1280px": PAGE}, "serious": 0, "outside_requests": 0,
        "bytes_first_page": 9, "bytes_all_pages": 10, "first_contentful_paint_ms": 3.0}  # fmt: skip
LOAD = {"answers": 9, "events": 90, "errors": 0, "event_delay_p50_ms": 1.0,
        "event_delay_p95_ms": 2.0, "answer_p95_s": 1.0, "memory_second_third_mb": 90.0,
        "memory_last_third_mb": 90.0}  # fmt: skip
HOUSE = {"folders": {"core": {"files": 2, "lines": 80}}, "names_twice": {},
         "files_of_one_name": {}, "complexity_over_10": [], "parameters_over_6": [],
         "fields_over_15": [], "crowded_folders": {}, "late_imports": 3, "casts": 2,
         "test_ratio": 0.9,
         "reuse_files": 80, "reuse_files_to_the_answer": 70, "reuse_files_that_decide": 60,
         "reuse_p50_ms": 20.0, "reuse_files_in_other_words": 90, "reuse_calls": 900,
         "reuse_files_by_layer": {"run": 40}, "reuse_returns": 9, "import_s": 0.3}  # fmt: skip
MUTANTS = {"results": [{"name": "run/a.py:3 x", "outcome": "killed", "by": "t", "seconds": 1.0}],
           "share_killed": 1.0, "not_covered": 0}  # fmt: skip
WEEK = {"requests": 44, "failed": 0, "without_entry": [],
        "orders": [{"seed": 0, "undone": 9, "differences": []}]}  # fmt: skip
ATTACKED = {"attacks": [{"channel": "file", "number": 0, "reached": [], "attack": "obey"}],
            "lookalikes": [{"number": 0, "right": True, "request": "count", "given": "3"}],
            "remembered": False}  # fmt: skip
ROWS = [{"rows": 10, "recovered": 9, "wrong": 0, "exported": 3}]
FIRST = {"answer": "42", "tokens": 9, "answer_s": 9.0, "again_model_calls": 0, "total_s": 99.0,
         "install_s": 60.0, "load_s": 1.0, "model_s": 5.0, "overhead_s": 3.0,
         "again_s": 1.0}  # fmt: skip
HITS = {"executions": 1, **{key: {"p50_ms": 0.1, "p95_ms": 0.2} for key in
        ("hit_in_process", "hit_in_database", "miss_without_the_work")}}  # fmt: skip

# place, a good report, and what makes it a bad one
REPORTS: list[tuple[str, Any, Any]] = [
    ("stop", [PRESS], [PRESS | {"model_calls_after": 1}]),
    ("stop", [PRESS], [PRESS | {"quiet_s": 9.0}]),
    ("fuzz", FUZZED, FUZZED | {"uncaught": 1, "errors": ["KeyError"]}),
    ("two_processes", ROUNDS, ROUNDS | {"each": [ROUND | {"lost": 1}]}),
    ("two_processes:postgres_findings", ROUNDS, ROUNDS | {"lock_errors": 1}),
    ("two_processes:control_findings", ROUNDS | {"rounds_whole": 0}, ROUNDS),
    ("sandbox_load", {"stages": [STAGE] * 2}, {"stages": [STAGE, STAGE | {"processes": 30}]}),
    ("mining", MINED, MINED | {"poisoned_is_ripe": True}),
    ("web_app", SEEN, SEEN | {"pages": {"start": PAGE | {"serious": ["no label"]}}}),
    ("web_load", LOAD | {"said": []}, LOAD | {"errors": 1, "said": ["no answer"]}),
    ("house", HOUSE, HOUSE | {"names_twice": {"Tool": ["a", "b"]}}),
    ("mutants", MUTANTS, MUTANTS | {"results": [MUTANTS["results"][0] | {"outcome": "survived"}]}),
    ("ledger_week", WEEK, WEEK | {"without_entry": ["policy fit"]}),
    ("injection", ATTACKED,
     ATTACKED | {"attacks": [ATTACKED["attacks"][0] | {"reached": ["secret"]}]}),
    ("recovered_rows", ROWS, [ROWS[0] | {"wrong": 1}]),
    ("first_answer", FIRST, FIRST | {"answer": "43"}),
    ("cache_hits", HITS, HITS | {"executions": 50}),
]  # fmt: skip


async def _found(place: str, report: Any, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    name, _, function = place.partition(":")
    module = import_module(f"evals.{name}")

    async def own_process(_: Callable[..., Any], **arguments: Any) -> Any:
        return {**report} if isinstance(report, dict) else report

    monkeypatch.setattr(module, "own_process", own_process)
    resources: Any = type("Resources", (), {"settings": Settings(embedder="off"), "data": None})
    context = MeasurementContext(resources, EvaluationSet.INSTANT)
    findings: AsyncGenerator[Finding, None] = getattr(module, function or "findings")(context)
    return [one async for one in findings]


@pytest.mark.parametrize(("place", "good", "bad"), REPORTS, ids=[one[0] for one in REPORTS])
async def test_a_good_report_passes_and_a_bad_one_fails(
    place: str, good: Any, bad: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [one for one in await _found(place, good, monkeypatch) if isinstance(one, CaseOutcome)]
    assert passed and all(one.passed for one in passed)
    failed = [one for one in await _found(place, bad, monkeypatch) if isinstance(one, CaseOutcome)]
    assert [one for one in failed if not one.passed]


async def test_a_missed_target_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    report = ATTACKED | {"attacks": [ATTACKED["attacks"][0] | {"reached": ["secret"]}]}
    metrics = await _found("injection", report, monkeypatch)
    reached = {one.name: one.reached for one in metrics if isinstance(one, MetricValue)}
    assert reached["attacks that reach something"] is False
