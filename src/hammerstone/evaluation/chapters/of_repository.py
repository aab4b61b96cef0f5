"""Measurements that need the repository: `evals/NAME.py` has their code, this table describes them.

The wheel knows them all, so that the report says what could not be measured without a checkout.
"""

import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TypedDict, Unpack

from hammerstone.core.evaluations import Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import (
    FULL,
    INSTANT,
    QUICK,
    Finding,
    Measurement,
    Needs,
    Run,
    checkout,
)

FOLDER = "evals"
HUMANEVALFIX = "repair/humanevalfix.jsonl"
CONVERSATIONS = "evals/data/conversations.json"
RETRIEVAL = ("retrieval/toole_tools.jsonl", "retrieval/toole_queries.jsonl",
             "retrieval/bfcl_tools.jsonl", "retrieval/bfcl_queries.jsonl")  # fmt: skip
REQUESTS = ("requests/dev.jsonl", "requests/dev_bank.json.gz", "requests/families.jsonl")
RECALL = ("arguments/bfcl_simple.jsonl", "retrieval/bfcl_queries.jsonl",
          "retrieval/toole_queries.jsonl", "retrieval/bfcl_irrelevance.jsonl")  # fmt: skip
REPLAY = ("requests/families.jsonl", "requests/dev.jsonl", "requests/check.py",
          "retrieval/toole_tools.jsonl", "evals/data/replay_draws.jsonl.gz")  # fmt: skip


async def of_repository(context: MeasurementContext, place: str) -> AsyncGenerator[Finding, None]:
    """What the function at `module:function` of `evals` finds; it is loaded only now."""
    module, _, name = place.partition(":")
    measure: Run = getattr(script(module), name or "findings")
    async with aclosing(measure(context)) as findings:
        async for finding in findings:
            yield finding


def script(name: str) -> ModuleType:
    """A module of the repository's `evals`."""
    root = str(checkout() or "")
    if root not in sys.path:
        sys.path.insert(0, root)
    return import_module(f"{FOLDER}.{name}")


def _needs(
    *files: str, model: bool = False, embedder: bool = False, network: bool = False
) -> Needs:
    return Needs(
        files=files, model=model, embedder=embedder, network=network, sandbox=True, checkout=True
    )


class _Options(TypedDict, total=False):
    name: str
    needs: Needs
    timed: bool
    weight: float
    full_s: float
    least_s: float
    chained: bool


def _one(
    place: str,
    title: str,
    chapter: Chapter,
    sets: frozenset = FULL,
    **options: Unpack[_Options],
) -> Measurement:
    given: _Options = {"name": place.partition(":")[0], "needs": _needs(), **options}
    return Measurement(
        title=title,
        chapter=chapter,
        run=partial(of_repository, place=place),
        sets=sets,
        **given,  # pyright: ignore[reportArgumentType]
    )


_CORRECTNESS = (
    _one("conversations", "Conversations, with a written model", Chapter.CORRECTNESS, INSTANT,
         weight=2, needs=_needs(CONVERSATIONS, embedder=True)),
    _one("conversations:live_findings", "Conversations", Chapter.CORRECTNESS, FULL,
         name="conversations_live", weight=2, chained=True,
         needs=_needs(CONVERSATIONS, model=True, embedder=True)),
    _one("ten_requests", "Ten requests from ten fields, each asked twice", Chapter.CORRECTNESS,
         weight=2,
         needs=_needs("evals/data/ten_requests.jsonl", model=True)),
    _one("starter_tools", "The starter tools are what they promise", Chapter.CORRECTNESS),
    _one("mcp_inspector", "The library as another MCP client sees it", Chapter.CORRECTNESS,
         needs=_needs(network=True)),
)  # fmt: skip

_RETRIEVAL = (
    _one("starter_fit", "Starter tools where they fit, and only there", Chapter.RETRIEVAL, INSTANT,
         needs=_needs(embedder=True)),
    _one("duplicates", "Near-duplicates told from near misses", Chapter.RETRIEVAL, FULL,
         needs=_needs(embedder=True)),
    _one("memory_recall", "Earlier exchanges recalled", Chapter.RETRIEVAL,
         full_s=120, needs=_needs(*RECALL, embedder=True)),
)  # fmt: skip

_WORKFLOWS = (
    _one("composites", "Chains that become one tool", Chapter.WORKFLOWS, INSTANT, weight=2),
    _one("composites:ask_findings", "Requests answered by a learned chain", Chapter.WORKFLOWS,
         QUICK, name="composites_asked", weight=3, needs=_needs(embedder=True)),
)  # fmt: skip

_LEARNING = (
    _one("gate", "Changes before the gate", Chapter.LEARNING, INSTANT, full_s=100),
    _one("experiments", "Experiments that are looked at daily", Chapter.LEARNING, QUICK),
    _one("feedback", "One word of a person, repaired by edits", Chapter.LEARNING, full_s=200,
         needs=_needs(HUMANEVALFIX)),
    _one("feedback:known_fix_findings", "One word of a person, with a known fix",
         Chapter.LEARNING, FULL, name="feedback_known_fix", needs=_needs(HUMANEVALFIX), weight=2,
         full_s=200),
    _one("feedback:live_findings", "One word of a person", Chapter.LEARNING,
         name="feedback_live", weight=2, chained=True,
         needs=_needs(HUMANEVALFIX, model=True)),
    _one("tuning", "Numbers of search, tuned and judged on later requests", Chapter.LEARNING, FULL,
         needs=_needs(*RETRIEVAL, embedder=True), weight=2, full_s=300),
    _one("labels", "Signals of use against the truth", Chapter.LEARNING, QUICK,
         needs=_needs(*REQUESTS)),
    _one("judges", "Judges of runs, on recorded evidence alone", Chapter.LEARNING, QUICK,
         needs=_needs("requests/dev.jsonl", "requests/check.py", "requests/dev_bank.json.gz")),
    _one("judges:cause_findings", "Why runs fail: planted causes", Chapter.LEARNING, FULL,
         name="judges_causes", needs=_needs("requests/dev.jsonl", "requests/check.py",
                                            "requests/dev_bank.json.gz",
                                            "evals/data/planted_replies.json.gz")),
    _one("judges:trace_findings", "The judge of traces, on recorded words", Chapter.LEARNING,
         INSTANT, name="judges_traces", needs=_needs("evals/data/judge_replies.json.gz")),
    _one("judge_ways", "Ways to ask a model about a run", Chapter.LEARNING, QUICK,
         needs=_needs("requests/dev.jsonl", "requests/check.py", "requests/dev_bank.json.gz",
                      "evals/data/judge_replies.json.gz")),
    _one("monitor", "Sixty days of a watched suite", Chapter.LEARNING, INSTANT),
    _one("prompt_track", "A prompt searched for, on recorded replies", Chapter.LEARNING, FULL,
         weight=2, needs=_needs("requests/dev.jsonl", "requests/check.py",
                                "evals/data/prompt_track.json.gz")),
    _one("harness_track", "Experiments on the product's own steps", Chapter.LEARNING, FULL,
         weight=2, needs=_needs("requests/dev.jsonl", "requests/check.py",
                                "evals/data/answers_bank.json.gz",
                                "evals/data/harness_replies.json.gz")),
    _one("fine_tuning", "What is trained on, and what must win", Chapter.LEARNING, FULL,
         needs=_needs("requests/dev.jsonl", "requests/check.py",
                      "evals/data/answers_bank.json.gz", "requests/dev_bank.json.gz")),
    _one("trust", "Earned trust of right and wrong tools", Chapter.LEARNING, INSTANT,
         needs=Needs(checkout=True)),
    _one("replay", "A thousand requests with and without learning", Chapter.LEARNING, FULL,
         needs=_needs(*REPLAY, embedder=True), weight=6, full_s=1800),
    _one("ledger_week", "A week of use, taken back", Chapter.LEARNING, FULL, weight=3,
         full_s=300),
)  # fmt: skip

_ROBUSTNESS = (
    _one("injection", "Texts that give orders, with an obedient model", Chapter.ROBUSTNESS,
         full_s=300,
         needs=_needs(network=True)),
    _one("injection:live_findings", "Texts that give orders", Chapter.ROBUSTNESS,
         name="injection_live", weight=2, full_s=1200, chained=True,
         needs=_needs(network=True, model=True)),
    _one("scrubber", "Secrets and personal data hidden", Chapter.ROBUSTNESS, INSTANT),
    _one("outage_drill", "A model's endpoint that misbehaves", Chapter.ROBUSTNESS, QUICK, weight=3,
         full_s=120),
    _one("fuzz", "Made-up and hostile inputs", Chapter.ROBUSTNESS, FULL, weight=2, full_s=200),
    _one("stop", "Everything stops when told to", Chapter.ROBUSTNESS, FULL, weight=2, full_s=200),
    _one("recovered_rows", "Damaged databases", Chapter.ROBUSTNESS, FULL, full_s=120),
    _one("triggers", "Signed calls and schedules, with kills", Chapter.ROBUSTNESS, FULL, weight=2,
         full_s=200),
    _one("two_processes", "Processes killed on one database", Chapter.ROBUSTNESS, FULL, weight=2,
         full_s=400),
    _one("two_processes:postgres_findings", "The same on PostgreSQL", Chapter.ROBUSTNESS,
         name="two_processes_postgres", full_s=400),
    _one("two_processes:control_findings", "Its control: opened as before", Chapter.ROBUSTNESS,
         name="two_processes_control", full_s=400),
    _one("crash", "Runs killed anywhere, and continued", Chapter.ROBUSTNESS, FULL, weight=3,
         full_s=900),
    _one("crash:other_findings", "Runs that hang, on full disks, with changed clocks, whose "
         "servers are killed", Chapter.ROBUSTNESS, FULL, name="crash_others", full_s=500),
    _one("mutants", "Small mistakes that our tests notice", Chapter.ROBUSTNESS, full_s=3600,
         least_s=1800),
    _one("house", "The shape of the code", Chapter.ROBUSTNESS, FULL, full_s=90,
         needs=_needs(embedder=True)),
    _one("texts", "Every text that a person reads", Chapter.ROBUSTNESS, QUICK),
)  # fmt: skip

_PERFORMANCE = (
    _one("start_up", "Starting", Chapter.PERFORMANCE, FULL, timed=True),
    _one("durable_cost", "What it costs to outlive a process", Chapter.PERFORMANCE, FULL,
         timed=True),
    _one("request_overhead", "A request beside the model", Chapter.PERFORMANCE, FULL,
         full_s=60, timed=True, needs=_needs(embedder=True)),
    _one("repeated_request", "A repeated request", Chapter.PERFORMANCE, INSTANT, timed=True),
    _one("workers", "Several workers on one database", Chapter.PERFORMANCE, FULL, timed=True,
         weight=2, full_s=400),
    _one("people", "Hundreds of people at one server", Chapter.PERFORMANCE, FULL, timed=True,
         weight=2, full_s=660),
    _one("cache_hits", "Hits of the execution cache", Chapter.PERFORMANCE, INSTANT, timed=True),
    _one("span_overhead", "A span of a trace", Chapter.PERFORMANCE, FULL, timed=True),
    _one("model_overhead", "The model layer over the bare client", Chapter.PERFORMANCE, FULL,
         full_s=60, timed=True),
    _one("model_speed", "The embedded model", Chapter.PERFORMANCE, timed=True, weight=2, full_s=200,
         needs=_needs(model=True)),
    _one("graph_paths", "Paths through the tool graph", Chapter.PERFORMANCE, FULL, timed=True,
         full_s=60),
    _one("durable_ways", "Two ways to make work durable", Chapter.PERFORMANCE, FULL, timed=True),
    _one("storage_rates", "Storage, SQLite", Chapter.PERFORMANCE, FULL, timed=True, full_s=400),
    _one("storage_rates:postgres_findings", "Storage, PostgreSQL", Chapter.PERFORMANCE,
         name="storage_rates_postgres", timed=True, full_s=400),
    _one("document_ingest", "Documents read, embedded and searched", Chapter.PERFORMANCE,
         full_s=300, needs=Needs(embedder=True, checkout=True), timed=True),
    _one("search_scale", "Search as the library grows", Chapter.PERFORMANCE, timed=True, full_s=600,
         needs=_needs(embedder=True)),
    _one("search_scale:way_findings", "Three ways to search", Chapter.PERFORMANCE,
         name="search_ways", timed=True, full_s=300),
    _one("search_million", "A library too large for memory", Chapter.PERFORMANCE, timed=True,
         full_s=600, needs=_needs(*RETRIEVAL, embedder=True)),
    _one("growth", "What grows with use", Chapter.PERFORMANCE, FULL, full_s=200,
         needs=_needs(embedder=True)),
    _one("mining", "Mining of what was done", Chapter.PERFORMANCE, FULL, timed=True, full_s=300),
    _one("sandbox_load", "Many sandboxed calls", Chapter.PERFORMANCE, FULL, timed=True, full_s=200),
    _one("web_load", "Many people at once", Chapter.PERFORMANCE, FULL, timed=True, weight=2,
         full_s=240),
    _one("web_app", "The web app in a browser", Chapter.PERFORMANCE, timed=True),
    _one("keyboard", "The web app with the keyboard alone", Chapter.PERFORMANCE),
    _one("newcomer", "What a newcomer waits for", Chapter.PERFORMANCE, timed=True, weight=2,
         needs=_needs(model=True)),
    _one("first_answer", "From a fresh clone to the first answer", Chapter.PERFORMANCE, timed=True,
         least_s=900, needs=_needs(network=True, model=True)),
)  # fmt: skip

MEASUREMENTS = (
    *_CORRECTNESS,
    *_RETRIEVAL,
    *_WORKFLOWS,
    *_LEARNING,
    *_ROBUSTNESS,
    *_PERFORMANCE,
)
