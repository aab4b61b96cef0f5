"""Whether tuning finds what helps, says how much, and proposes nothing where nothing does.

    python -m evals.tuning [--set instant|quick|full] [--json]

Every request of ToolE and BFCL is a decision of search over its library, with the stated tools as
labels. Requests are put in an order by their hash, which stands for time: the tuner searches on
the first part and is judged on the rest, as in the product. Fusion is judged by whether the right
tool comes first, bands and threshold by what the decision is worth (policy `tuning`) on requests
whose right tool is there or taken out. The shipped fit gate was fitted on these public sets
(`evals/fit_gate.py`), so its probabilities are better here than elsewhere.

Nothing to gain: for fusion, a random candidate is called right; for bands and threshold, labels
are drawn with the stated probabilities, for which the shipped bands are the best. Both are done
20 times; what is proposed goes on to the gate's own rule. Fits that are shuffled altogether are a
third case: trusting every tool less does help by these labels, but no border on a probability that
says nothing is right, so the knob refuses them. That the tuner finds a gain where there is one is
shown by studies that begin with worse values on purpose.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from evals.measured import measured
from hammerstone.core.clock import SystemClock
from hammerstone.core.decisions import SearchDecision, ToolCandidate
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.evaluation.retrieval.data import read_requests, read_tools
from hammerstone.evaluation.retrieval.retrieval import RetrievalBench, bench, orders
from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.learn.policies import GatePolicy, TuningPolicy
from hammerstone.learn.promotion.verdict import rule
from hammerstone.learn.tuning.band_knobs import BandKnob, JudgedFit, ThresholdKnob
from hammerstone.learn.tuning.intervals import gain
from hammerstone.learn.tuning.knob import Knob, TuningCase
from hammerstone.learn.tuning.search_knobs import FusionKnob, RightTool, of_share
from hammerstone.learn.tuning.tuner import StudyOutcome, Tuner
from hammerstone.library.policies import Policies
from hammerstone.library.search.fit.fits import library_decisions
from hammerstone.library.search.fit.gate import shipped_gate
from hammerstone.library.search.ranking import weights_in_force
from hammerstone.storage import Database

SETS = (("ToolE", "toole"), ("BFCL", "bfcl"))
CANDIDATES = 25
SHUFFLES = 20
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Given:
    """Cases for a knob in place of what was logged; everything else is the knob's own."""

    knob: Any
    given: Sequence[TuningCase]
    begins: dict[str, float] | None = None

    def present(self) -> dict[str, float]:
        """The values in force, or others to begin with."""
        return self.begins or self.knob.present()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.knob, name)

    async def cases(self, until: datetime) -> list[TuningCase]:
        return list(self.given)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Gains on later requests with their intervals, and false proposals where nothing helps."""
    with TemporaryDirectory(prefix="hammerstone-eval-") as folder:
        db = await Database.open_url(f"sqlite:///{folder}/tuning.db")
        try:
            policies = Policies(db, (TuningPolicy,))
            for title, key in SETS:
                ready = await _bench(context, key)
                context.say(f"{title}: ranking {len(ready.requests)} requests")
                ordered = await asyncio.to_thread(_order_cases, ready, policies)
                fusion = FusionKnob(policies, _nothing)
                for finding in _mixes(title, ready, fusion, ordered):
                    yield finding
                # Last: taking tools out and putting them back moves their places.
                fits = await asyncio.to_thread(_fit_cases, ready)
                async for finding in _measured(context, title, policies, (ordered, fits)):
                    yield finding
        finally:
            await db.close()


async def _measured(
    context: MeasurementContext,
    title: str,
    policies: Policies,
    cases: tuple[list[TuningCase], list[TuningCase]],
) -> AsyncGenerator[Finding, None]:
    ordered, fits = cases
    fusion = FusionKnob(policies, _nothing)
    bands = BandKnob(policies, _nothing)
    threshold = ThresholdKnob(policies, _nothing)
    studies: list[tuple[str, Any, list[TuningCase], dict[str, float] | None]] = [
        ("fusion", fusion, ordered, None),
        ("bands", bands, fits, None),
        ("threshold", threshold, fits, None),
        ("fusion from 100:0", fusion, ordered, of_share(1.0)),
        ("bands from 0.95, 0.9", bands, fits, {"high": 0.95, "middle": 0.9}),
        ("threshold from 0.7", threshold, fits, {"retrieval_similarity_threshold": 0.7}),
    ]
    for name, knob, given, begins in studies:
        outcome = await _tuned(policies, knob, given, begins)
        context.say(f"{title} {name}: {outcome.finding}, {outcome.reason}, {outcome.best}")
        yield case(
            f"{title} {name}", True, tags=(title, str(outcome.finding)),
            asked=f"{knob.about}; now {outcome.present}", given=f"{outcome.best}",
            wanted="a sure gain, or nothing", reason=outcome.reason,
        )  # fmt: skip
        won = outcome.gain
        yield higher(
            f"{title}: {name}, tuned: {outcome.finding}", 100 * won.mean if won else 0.0, "points",
            baseline=0.0, baseline_name="doing nothing",
            low=100 * won.low if won else None, high=100 * won.high if won else None,
        )  # fmt: skip
    rounds = amount(context, instant=5, quick=SHUFFLES, full=SHUFFLES)
    nulls: list[tuple[str, Any, Callable[[int], list[TuningCase]], float]] = [
        ("fusion, shuffled labels", fusion, lambda seed: _random_tool(ordered, seed), 1.0),
        ("bands, labels as stated", bands, lambda seed: _as_stated(fits, seed), 1.0),
        ("threshold, labels as stated", threshold, lambda seed: _as_stated(fits, seed), 1.0),
        ("bands, shuffled fits", bands, lambda seed: _shuffled(fits, seed), 1.0),
    ]
    for name, knob, made, target in nulls:
        found = [await _tuned(policies, knob, made(seed)) for seed in range(rounds)]
        proposals = [one.proposal for one in found if one.proposal is not None]
        passed = sum(rule(one.evidence, GatePolicy()).promotes for one in proposals)
        about = f"{title}: {name}, {rounds} times"
        yield lower(f"{about}: proposed", len(proposals), "count", target=target)
        yield lower(f"{about}: let through", passed, "count", target=0)


def _mixes(
    title: str, ready: RetrievalBench, knob: FusionKnob, cases: list[TuningCase]
) -> list[Finding]:
    """59:41, 70:30 and the ends, on all requests: nothing was tuned for this table."""
    groups = [one.group for one in cases]
    weights = np.ones(len(cases))
    present = knob.scores(knob.present(), cases)
    ways = {f"{m:.0%} meaning": knob.scores(of_share(m), cases) for m in (0.5, 0.7, 0.8, 1.0)}
    ways["70:30, plain"] = _plain_mix(ready, cases)
    found: list[Finding] = []
    for name, other in ways.items():
        won = gain(other - present, weights, groups)
        now, mean = float(present.mean()), float(other.mean())
        found += [
            higher(f"{title}: {name}, right first", mean, baseline=now, baseline_name="59:41"),
            higher(
                f"{title}: {name} minus 59:41",
                100 * won.mean,
                "points",
                baseline=0.0,
                low=100 * won.low,
                high=100 * won.high,
            ),
        ]
    return found


def _plain_mix(ready: RetrievalBench, cases: Sequence[TuningCase]) -> Any:
    """70:30 as it is usually meant: min-max normalised scores of plain words and vectors."""
    way = orders(ready)["fused_70_30"]
    rows = [int(one.id) for one in cases]
    firsts = [way(ready.plain[row].request, ready.plain_asked[row])[:1] for row in rows]
    return np.array(
        [
            float(bool(ready.plain[row].tools & set(first)))
            for row, first in zip(rows, firsts, strict=True)
        ]
    )


async def _tuned(
    policies: Policies,
    knob: Any,
    cases: Sequence[TuningCase],
    begins: dict[str, float] | None = None,
) -> StudyOutcome:
    tuner = Tuner(policies.get(TuningPolicy), SystemClock())
    given: Knob = Given(knob, cases, begins)
    return await tuner.study(given)


async def _bench(context: MeasurementContext, key: str) -> RetrievalBench:
    tools = read_tools(context.file(f"retrieval/{key}_tools.jsonl"))
    path = context.file(f"retrieval/{key}_queries.jsonl")
    requests = context.some(read_requests(path, tools), instant=300, quick=1500)
    one = [each for each in requests if len(each.tools) == 1]
    context.say(f"{key}: embedding {len(tools)} tools and {len(one)} requests with one right tool")
    return await bench(tools, one, await context.embedder())


def _place(request: str) -> tuple[str, datetime]:
    """What hangs together (the same words), and when: by the hash, so in no order of the file."""
    bare = " ".join("".join(c if c.isalnum() else " " for c in request.casefold()).split())
    name = hashlib.sha256(bare.encode()).hexdigest()
    return name[:16], BEGAN + timedelta(seconds=int(name[:8], 16) / 1000)


def _order_cases(ready: RetrievalBench, policies: Policies) -> list[TuningCase]:
    """Requests as search would have logged them; a right tool that is none of the candidates is
    wrong whatever the weights are."""
    weights = {
        **weights_in_force(policies),
        "relevance_share": 1.0,
        "success_share": 0.0,
        "frequency_share": 0.0,
    }
    found: list[TuningCase] = []
    for row, labelled in enumerate(ready.requests):
        group, at = _place(labelled.request)
        hits = ready.ranker.rank(labelled.request, ready.asked[row], CANDIDATES)
        candidates = tuple(
            ToolCandidate(h.name, h.relevance, h.cosine, h.words, h.learned, h.unfilled)
            for h in hits
        )
        decision = SearchDecision(
            str(row), str(row), group, "", at, labelled.request, hits[0].name, "high", 1.0,
            candidates, weights,
        )  # fmt: skip
        (right,) = labelled.tools
        found.append(TuningCase(str(row), group, at, RightTool(decision, right)))
    return found


def _fit_cases(ready: RetrievalBench) -> list[TuningCase]:
    """The best hit of each request, with its right tools there and taken out."""
    gate, found = shipped_gate(meaning=True), list[TuningCase]()
    for row, labelled in enumerate(ready.requests):
        group, at = _place(labelled.request)
        for number, seen in enumerate(
            library_decisions(ready.ranker, [labelled], [ready.asked[row]], copies=True)
        ):
            judged = JudgedFit(gate.probability(seen.signals), seen.signals.cosine, seen.fits)
            found.append(TuningCase(f"{row}-{number}", group, at, judged))
    return found


def _random_tool(cases: Sequence[TuningCase], seed: int) -> list[TuningCase]:
    draw = np.random.default_rng(seed)
    made: list[TuningCase] = []
    for one in cases:
        names = [candidate.name for candidate in one.data.decision.candidates[:5]]
        right = names[int(draw.integers(0, len(names)))]
        made.append(replace(one, data=replace(one.data, tool=right)))
    return made


def _as_stated(cases: Sequence[TuningCase], seed: int) -> list[TuningCase]:
    draw = np.random.default_rng(seed)
    return [
        replace(one, data=replace(one.data, fits=bool(draw.random() < one.data.probability)))
        for one in cases
    ]


def _shuffled(cases: Sequence[TuningCase], seed: int) -> list[TuningCase]:
    order = np.random.default_rng(seed).permutation(len(cases))
    return [
        replace(one, data=replace(one.data, fits=cases[int(place)].data.fits))
        for one, place in zip(cases, order, strict=True)
    ]


async def _nothing(until: datetime) -> list[DecisionLabel]:
    return []


if __name__ == "__main__":
    measured("tuning")
