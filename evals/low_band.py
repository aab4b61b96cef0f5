"""What it is worth to read near tools when the gate says that none fits.

    python evals/low_band.py FOLDER [--json]

FOLDER is that of `evals/fit_gate.py`. In the low band a new tool is built (R1.4). Before that,
tools whose similarity is above the policy's `choose_above_similarity` are shown to a model in
one short question: which of these, or none? Printed for each set, with the right tool in the
library and with it taken out: how many requests fall into the low band, for how many of those
the right tool is among the ones shown, and for how many the question is asked in vain. No model
is asked here. The gate was fitted on these sets, so the share of the low band is flattered; who
is shown there is not.
"""

import argparse
import asyncio
import json
from pathlib import Path

from hammerstone.core.settings import load_settings
from hammerstone.library.policies import FitPolicy
from hammerstone.library.search.evaluation import retrieval
from hammerstone.library.search.evaluation.data import LabelledRequest, read_requests, read_tools
from hammerstone.library.search.evaluation.kept_vectors import KeptVectors
from hammerstone.library.search.gate import shipped_gate
from hammerstone.library.search.ranking import RankedTool, Ranker
from hammerstone.library.search.signals import CROWD, read_signals
from hammerstone.models.embedding.embedder_opening import open_embedder, pull_embedder
from hammerstone.run.plan_policy import PlanPolicy

SHOWN = 4
EVERY = {"bfcl": 1, "toole": 6}


def low(ranker: Ranker, request: str, hits: list[RankedTool]) -> bool:
    if not hits:
        return True
    signals = read_signals(request, hits[0], hits[1:], ranker.catalog, 0.0)
    return shipped_gate(meaning=True).probability(signals) < FitPolicy().middle


def shown(hits: list[RankedTool]) -> list[str]:
    near = PlanPolicy().choose_above_similarity
    return [hit.name for hit in hits[:SHOWN] if (hit.cosine or 0.0) >= near]


def judge(bench: retrieval.RetrievalBench) -> dict[str, float]:
    counts = dict.fromkeys(("low", "low_right_first", "low_right_shown", "out_low", "out_asked"), 0)
    for labelled, vector in zip(bench.requests, bench.asked, strict=True):
        counts = _one(bench.ranker, labelled, vector, counts)
    total = len(bench.requests)
    return {
        "requests": total,
        "there_low": round(counts["low"] / total, 4),
        "there_low_right_is_first": round(counts["low_right_first"] / max(1, counts["low"]), 4),
        "there_low_right_is_shown": round(counts["low_right_shown"] / max(1, counts["low"]), 4),
        "gone_low": round(counts["out_low"] / total, 4),
        "gone_low_asked_in_vain": round(counts["out_asked"] / max(1, counts["out_low"]), 4),
    }


def _one(
    ranker: Ranker, labelled: LabelledRequest, vector, counts: dict[str, int]
) -> dict[str, int]:  # type: ignore[no-untyped-def]
    hits = ranker.rank(labelled.request, vector, 1 + CROWD)
    if low(ranker, labelled.request, hits):
        counts["low"] += 1
        counts["low_right_first"] += hits[0].name in labelled.tools
        counts["low_right_shown"] += bool(labelled.tools & set(shown(hits)))
    with ranker.catalog.without(labelled.tools):
        hits = ranker.rank(labelled.request, vector, 1 + CROWD)
        if low(ranker, labelled.request, hits):
            counts["out_low"] += 1
            counts["out_asked"] += bool(shown(hits))
    return counts


async def run(folder: Path) -> dict[str, dict[str, float]]:
    settings = load_settings()
    await pull_embedder(settings)
    opened = open_embedder(settings)
    assert opened is not None
    embedder = KeptVectors(opened, settings.data_dir / "evaluation")
    found: dict[str, dict[str, float]] = {}
    for name, every in EVERY.items():
        tools = read_tools(folder / f"{name}_tools.jsonl")
        requests = read_requests(folder / f"{name}_queries.jsonl", tools)[::every]
        found[name] = judge(await retrieval.bench(tools, requests, embedder))
    await embedder.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = asyncio.run(run(options.folder))
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, values in found.items():
        print(name, "  ".join(f"{key} {value}" for key, value in values.items()))


if __name__ == "__main__":
    main()
