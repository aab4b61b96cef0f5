"""Fit the shipped gate anew: python evals/fit_gate.py FOLDER [--write]

FOLDER holds toole_tools.jsonl, toole_queries.jsonl, bfcl_tools.jsonl, bfcl_queries.jsonl and
bfcl_irrelevance.jsonl. Prints what the gate reaches on tools it did not see, and with --write
replaces the numbers in the package.
"""

import asyncio
import json
import sys
from pathlib import Path

from hammerstone.core.settings import load_settings
from hammerstone.evaluation.retrieval import retrieval as bench_module
from hammerstone.evaluation.retrieval.data import (
    read_requests,
    read_tools,
    read_unanswerable,
)
from hammerstone.library.search.experience import Experience
from hammerstone.library.search.fit import gate as gate_module
from hammerstone.library.search.fit.fits import (
    FitObservation,
    library_decisions,
    measure,
)
from hammerstone.library.search.fit.gate import FitGate
from hammerstone.models.embedding.embedder_opening import open_embedder
from hammerstone.models.pull.pulling import pull_embedder

EVERY = 3  # ToolE has ten times as many requests as BFCL
PAST = 5


async def decisions(folder: Path, meaning: bool) -> dict[str, list[FitObservation]]:
    settings = load_settings()
    await pull_embedder(settings)
    embedder = open_embedder(settings)
    assert embedder is not None
    found: dict[str, list[FitObservation]] = {}
    for name, every in (("bfcl", 1), ("toole", EVERY)):
        tools = read_tools(folder / f"{name}_tools.jsonl")
        requests = read_requests(folder / f"{name}_queries.jsonl", tools)[::every]
        bench = await bench_module.bench(tools, requests, embedder)
        asked = list(bench.asked) if meaning else [None] * len(requests)
        judged = slice(None, None, 1 if name == "bfcl" else EVERY)
        found[f"{name} whole library"] = library_decisions(
            bench.ranker, bench.requests[judged], asked[judged]
        )
        if meaning and name == "toole":
            experience, rest = experienced(bench)
            rest = rest[::EVERY]
            found["toole after use"] = library_decisions(
                bench.ranker,
                [bench.requests[row] for row in rest],
                [bench.asked[row] for row in rest],
                experience,
            )
        if name == "bfcl":
            pairs = await bench_module.paired(
                bench, read_unanswerable(folder / "bfcl_irrelevance.jsonl"), embedder, meaning
            )
            found["bfcl one function on offer"] = pairs
    await embedder.close()
    return found


def experienced(bench: bench_module.RetrievalBench) -> tuple[Experience, list[int]]:
    measured, pool = bench_module.halves(bench.requests)
    experience = bench_module.experience_of(bench, pool, PAST)
    return experience, measured


def main() -> None:
    folder = Path(sys.argv[1])
    gates: dict[str, dict[str, float]] = {}
    for key, meaning in (("hybrid", True), ("words_only", False)):
        by_kind = asyncio.run(decisions(folder, meaning))
        every = [decision for kind in by_kind.values() for decision in kind]
        gate = FitGate.fitted([d.signals for d in every], [d.fits for d in every], meaning=meaning)
        gates[key] = gate.to_json()
        print(key, "on tools it did not see:")
        for kind, found in (by_kind | {"all": every}).items():
            print(f"  {kind:28}", measure(found, meaning=meaning))
    print(json.dumps(gates, indent=2))
    if "--write" in sys.argv:
        target = Path(gate_module.__file__).with_name("gate.json")
        target.write_text(json.dumps(gates, indent=2) + "\n")


if __name__ == "__main__":
    main()
