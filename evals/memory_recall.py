"""How well earlier exchanges are recalled.

    python -m evals.memory_recall [--set instant|quick|full] [--json]

The set is made here from public requests, none of them ours: an exchange is a request of
BFCL (Berkeley Function Calling Leaderboard) as a person would have asked it; the question that
looks for it later is made of BFCL's own description of the function and the accepted argument
values, so the two share a subject but were worded by different people for different purposes.
All other exchanges of the person are other requests of BFCL and ToolE (MetaTool). Sessions
hold 7 exchanges each. Nothing was tuned on these files but the least similarity that counts,
which is chosen on every other question and stranger and reported on the rest.

Measured, for 50 and for 1,000 sessions: how often the right exchange is first and among five,
how often something is recalled for requests that were never made before (it should not be),
what each least similarity would do, milliseconds, and the tokens added to a request against
sending everything that was said. Baselines in the same run: words alone, meaning alone.
Vectors of the texts are kept in the data directory, so that a second run is quick.
"""

import asyncio
import json
import random
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from evals.measured import measured
from hammerstone.core.clock import SystemClock
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)
from hammerstone.library.memory import Memory, MemoryPolicy, MemoryRequest
from hammerstone.library.memory.tokens import tokens_of
from hammerstone.library.policies import Policies
from hammerstone.run.request import Request
from hammerstone.storage import Database

PER_SESSION = 7
USER = "ada"
SIZES = (50, 1000)
LEAST = (0.0, 0.40, 0.45, 0.48, 0.50, 0.55)
MAY_LOSE = 0.01  # of the questions with values, for fewer strangers


def load(folder: Path) -> tuple[list[tuple[str, str, str]], list[str], list[str]]:
    """(request, question with values, question without) to find; others; never asked."""
    targets: list[tuple[str, str, str]] = []
    for line in (folder / "arguments/bfcl_simple.jsonl").read_text().splitlines():
        row = json.loads(line)
        about = row["function"]["description"].rstrip(".")
        values = [
            next((v for v in accepted if v != ""), "") for accepted in row["accepted"].values()
        ]
        said = ", ".join(str(v) for v in values if v not in ("", None))
        targets.append((row["query"], f"what did you tell me about: {about} ({said})", about))
    asked = {request for request, _, _ in targets}
    others = [
        json.loads(line)["query"]
        for name in ("bfcl_queries", "toole_queries")
        for line in (folder / f"retrieval/{name}.jsonl").read_text().splitlines()
    ]
    others = [text for text in dict.fromkeys(others) if text not in asked]
    random.Random(1).shuffle(others)
    unasked = [
        json.loads(line)["query"]
        for line in (folder / "retrieval/bfcl_irrelevance.jsonl").read_text().splitlines()
    ]
    return targets, others, [text for text in unasked if text not in asked]


async def fill(db: Database, requests: list[str]) -> int:
    """The person's exchanges in sessions; the tokens of everything."""
    total = 0
    async with db.transaction() as stores:
        for number, text in enumerate(requests):
            answer = f"Done, see result {number * 37 % 1009}."
            session = f"s{number // PER_SESSION}"
            await stores.memory.add(f"r{number}", USER, session, text, answer, "done")
            total += tokens_of(f"Asked: {text}\nAnswered: {answer}")
    return total


async def measure(size: int, data: Any, embedder: Any) -> dict[str, Any]:
    targets, others, unasked = data
    wanted = targets[: min(len(targets), size * PER_SESSION // 2)]
    requests = [request for request, _, _ in wanted]
    requests += others[: size * PER_SESSION - len(requests)]
    random.Random(2).shuffle(requests)
    with tempfile.TemporaryDirectory() as scratch:
        db = await Database.open_url(f"sqlite:///{scratch}/m.db")
        policies = Policies(db, (MemoryPolicy,))
        await policies.load()
        memory = Memory(db, Path(scratch) / "memory", policies, SystemClock(), embedder)
        everything = await fill(db, requests)
        found = await _embedded(db, memory, embedder)
        policy = replace(MemoryPolicy(), recalled=5)
        result: dict[str, Any] = {
            "sessions": size,
            "exchanges": len(requests),
            "asked": len(wanted),
        }
        mixes = {"hybrid": (0.7, 0.3), "meaning": (1.0, 0.0), "words": (0.0, 1.0)}
        for name, (meaning, words) in mixes.items():
            mixed = replace(
                policy,
                meaning_share=meaning,
                words_share=words,
                minimum_score=0.0,
                minimum_meaning=0.0,
            )
            result[name] = await _ranks(memory, wanted, mixed, 1)
        floor = replace(policy, meaning_share=0.7, words_share=0.3)
        result["with_minimum"] = await _ranks(memory, wanted, floor, 1)
        result["ranks"] = await _places(memory, wanted, floor)
        result["without_values"] = await _ranks(memory, wanted, floor, 2)
        strangers = [await memory.recall.find(USER, text, floor) for text in unasked]
        result["recalled_for_strangers"] = sum(map(bool, strangers)) / len(unasked)
        met = [await _surrounded(memory, text) for text in unasked]
        result["recalled_in_strangers_requests"] = sum(met) / len(unasked)
        result["least_similarity"] = await _sweep(memory, wanted, unasked, floor)
        result |= await _cost(memory, wanted, everything)
        result["embedded"] = found
        await memory.close()
        await db.close()
        return result


async def _embedded(db: Database, memory: Memory, embedder: Any) -> int:
    """Every exchange has its vector before anything is measured."""
    await memory.search(USER, "warm up")
    while True:
        vectors = await db.memory.vectors(USER, embedder.space, 0)
        exchanges = await db.memory.of_user(USER, 0, 100_000)
        if len(vectors) == len(exchanges):
            return len(vectors)
        await asyncio.sleep(0.2)
        await memory.search(USER, "warm up")


async def _ranks(memory: Memory, wanted: Any, policy: MemoryPolicy, which: int) -> dict[str, float]:
    first = five = 0
    for target in wanted:
        found = await memory.recall.find(USER, target[which], policy)
        requests = [one.exchange.request for one in found]
        first += requests[:1] == [target[0]]
        five += target[0] in requests
    return {"recall_at_1": first / len(wanted), "recall_at_5": five / len(wanted)}


async def _places(memory: Memory, wanted: Any, policy: MemoryPolicy) -> dict[str, int]:
    """At which place each is found; -1 for not among five."""
    places: dict[str, int] = {}
    for number, target in enumerate(wanted):
        found = await memory.recall.find(USER, target[1], policy)
        requests = [one.exchange.request for one in found]
        place = requests.index(target[0]) if target[0] in requests else -1
        places[f"{number:03} {target[0][:60]}"] = place
    return places


async def _surrounded(memory: Memory, text: str) -> bool:
    """Whether a whole request would recall anything: most refer to nothing and do not look."""
    refers = Request(text, "now", USER).reading.refers_back
    return bool((await memory.surroundings(MemoryRequest(text, USER, "now", refers))).recalled)


async def _sweep(
    memory: Memory, wanted: Any, unasked: list[str], policy: MemoryPolicy
) -> dict[str, Any]:
    """What each least similarity does on two halves: one to choose on, one to report."""
    open_ = replace(policy, minimum_meaning=0.0, recalled=20)
    found = {
        "right_first": [await memory.recall.find(USER, each[1], open_) for each in wanted],
        "right_first_without_values": [
            await memory.recall.find(USER, each[2], open_) for each in wanted
        ],
        "strangers": [await memory.recall.find(USER, text, open_) for text in unasked],
    }

    def share(name: str, half: int, least: float) -> float:
        hits = 0
        rows = list(enumerate(found[name]))[half::2]
        for place, each in rows:
            near = [one for one in each if (one.meaning or 0.0) >= least]
            right = name == "strangers" or (near and near[0].exchange.request == wanted[place][0])
            hits += bool(near and right)
        return hits / len(rows)

    best = share("right_first", 0, 0.0)
    kept = [least for least in LEAST if share("right_first", 0, least) >= best - MAY_LOSE]
    table = {str(least): {name: share(name, 1, least) for name in found} for least in LEAST}
    return {"chosen_on_one_half": max(kept), "on_the_other": table}


async def _cost(memory: Memory, wanted: Any, everything: int) -> dict[str, Any]:
    tokens: list[int] = []
    seconds: list[float] = []
    for _, question, _ in wanted:
        began = time.perf_counter()
        context = await memory.surroundings(MemoryRequest(question, USER, "now", False))
        seconds.append(time.perf_counter() - began)
        tokens.append(tokens_of(context.for_models(question)) - tokens_of(question))
    simple: list[float] = []
    for number in range(200):
        began = time.perf_counter()
        await memory.surroundings(MemoryRequest(f"What is {number}% of 200?", USER, "now", False))
        simple.append(time.perf_counter() - began)
    return {
        "tokens_added_median": median(tokens),
        "tokens_added_most": max(tokens),
        "tokens_everything": everything,
        "recall_ms_median": round(median(seconds) * 1000, 2),
        "simple_request_us_median": round(median(simple) * 1e6, 1),
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Questions for earlier exchanges, among those of 50 and of 1,000 sessions."""
    data = load(context.resources.data or Path())
    embedder = await context.embedder()
    for size in amount(context, instant=[50], quick=[50], full=list(SIZES)):
        found = await measure(size, data, embedder)
        for name, rank in found.pop("ranks").items():
            right = {"first": float(rank == 0), "in_five": float(0 <= rank < 5)}
            yield case(f"{size} sessions: {name}", rank == 0, right, given=f"place {rank + 1}")
        for finding in _numbers(f"{size} sessions", found):
            yield finding


def _numbers(of: str, found: dict[str, Any]) -> Iterator[Finding]:
    words, meaning = (found[name]["recall_at_1"] for name in ("words", "meaning"))
    best = max(words, meaning)
    name = "words alone" if words > meaning else "meaning alone"
    ours = found["with_minimum"]
    first = ours["recall_at_1"]
    yield higher(f"right exchange first, {of}", first, baseline=best, baseline_name=name)
    yield higher(f"in the first five, {of}", ours["recall_at_5"])
    without = found["without_values"]["recall_at_1"]
    yield higher(f"first, without values, {of}", without)
    strangers = found["recalled_in_strangers_requests"]
    yield lower(f"recalled for requests never made, {of}", strangers, "share")
    everything = found["tokens_everything"]
    yield lower(
        f"tokens added, {of}", found["tokens_added_median"], "count",
        baseline=everything, baseline_name="everything said",
    )  # fmt: skip
    yield lower(f"recall beside embedding, {of}", found["recall_ms_median"])


if __name__ == "__main__":
    measured("memory_recall")
