"""Ways to ask a model about a run: with the answer shown, and without.

    python -m evals.judge_ways [--set quick|full] [--json]

410 recorded runs of known truth (`recorded_runs.py`), each with recorded words of the embedded
model (`evals/data/judge_replies.json.gz`, asked by `judge_rows.py`):

- `shown`: it sees the program and the answer, and says whether that is right;
- `result`, `steps`: it sees the request alone and works it out, as JSON or in plain steps; code
  compares its result with the answer;
- `pair`: it sees the answer and the one that came next in the vote, each of them first once.

The runs are halved by chance. How reliable a way is, is measured on one half and used on the
other. The way that helps most on one half is judged on the other: that number decides which way
the product asks. A way is asked once or eight times, and where the record leaves it open or
everywhere.
"""

import json
import random
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from evals.judges import auroc, read_lenient, read_result, recorded_words
from evals.measured import measured
from evals.recorded_runs import SEED, KnownRun, known_runs
from hammerstone.core.evaluations import MetricValue
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import calibration, higher, lower, share
from hammerstone.judging.equality import same_answer
from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.scoring import score_run, wants_model, with_model

DRAWS = 1000
RECORD = "record alone"
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_LAST = re.compile(r"^\s*\**Result:?\**:?\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asking:
    """How often a way is asked about a run, and about which runs."""

    name: str
    every: bool
    everywhere: bool = False

    def within(self, policy: JudgePolicy) -> JudgePolicy:
        return replace(policy, ask_above=0.0, ask_below=1.0) if self.everywhere else policy


ONE = Asking("one word", every=False)
MOST = Asking("most of eight words", every=True)
EVERYWHERE = Asking("most of eight words about every run", every=True, everywhere=True)
ASKINGS = (ONE, MOST, EVERYWHERE)

Vote = bool | None
Judged = Sequence[tuple[float, bool]]
Read = Callable[[str, KnownRun], Vote]


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run, and what the words of each way say about its answer, the likeliest word first."""

    run: KnownRun
    said: Mapping[str, Sequence[Vote]]

    def word(self, way: str, *, every: bool) -> Vote:
        """The first word, or what most words say; None where none can be read."""
        if not every:
            return self.said[way][0] if self.said[way] else None
        share = self.share(way)
        return None if share is None or share == 0.5 else share > 0.5

    def share(self, way: str) -> float | None:
        read = [one for one in self.said[way] if one is not None]
        return mean(read) if read else None


def _shown(text: str, _run: KnownRun) -> Vote:
    return read_lenient(text)


def _result(text: str, run: KnownRun) -> Vote:
    found = read_result(text)
    return same_answer(found, run.facts.given) if found else None


def last_result(text: str) -> str:
    """What the last line that says so gives as the result; empty without one."""
    found = _LAST.findall(text)
    return found[-1].strip("*` ") if found else ""


def _steps(text: str, run: KnownRun) -> Vote:
    found = last_result(text)
    return same_answer(found, run.facts.given) if found else None


def preferred(text: str) -> str:
    """`A` or `B`; empty where a reply says neither."""
    found = _OBJECT.search(text)
    try:
        said = json.loads(found[0])["right"] if found else ""
    except (ValueError, KeyError, TypeError):
        return ""
    return said if said in ("A", "B") else ""


WAYS: Mapping[str, Read] = {"shown": _shown, "result": _result, "steps": _steps}
PAIR = "pair"


def asked_runs(
    runs: Sequence[KnownRun], words: Callable[[str], dict[str, list[str]]]
) -> list[AskedRun]:
    """What was said about each run that has an answer."""
    kept = {"shown": words("runs"), **{way: words(way) for way in ("result", "steps", PAIR)}}
    found: list[AskedRun] = []
    for run in runs:
        if not run.facts.answered:
            continue
        id = run.facts.run_id
        said: dict[str, list[Vote]] = {
            way: [read(text, run) for text in kept[way].get(id, [])] for way, read in WAYS.items()
        }
        orders = [(text, order) for order in "AB" for text in kept[PAIR].get(f"{id} {order}", [])]
        said[PAIR] = [
            None if not preferred(text) else preferred(text) == order for text, order in orders
        ]
        found.append(AskedRun(run, said))
    return found


def halves(runs: Sequence[AskedRun]) -> tuple[list[AskedRun], list[AskedRun]]:
    mixed = sorted(runs, key=lambda one: one.run.facts.run_id)
    random.Random(SEED).shuffle(mixed)
    return mixed[::2], mixed[1::2]


def reliability(runs: Sequence[AskedRun], way: str, asking: Asking) -> JudgeReliability:
    return JudgeReliability.of((one.word(way, every=asking.every), one.run.right) for one in runs)


def scores(
    judged: Sequence[AskedRun],
    way: str,
    known: JudgeReliability,
    policy: JudgePolicy,
    asking: Asking = ONE,
) -> list[tuple[float, bool]]:
    """Scores by the record, moved by a way's word as far as that was measured to count."""
    found: list[tuple[float, bool]] = []
    policy = asking.within(policy)
    for one in judged:
        score = score_run(one.run.facts, policy)
        word = None if way == RECORD else one.word(way, every=asking.every)
        if word is not None and wants_model(score, policy):
            score = with_model(score, word, known, policy)
        found.append((score.score, one.run.right))
    return found


def gained(before: Judged, after: Judged) -> MetricValue:
    """The gain in AUROC on the same runs, with its interval when the runs are drawn anew."""
    truth = np.array([right for _, right in before])
    old, new = (np.array([score for score, _ in one]) for one in (before, after))
    chance, drawn = np.random.default_rng(SEED), list[float]()
    for _ in range(DRAWS):
        some = chance.integers(0, len(truth), len(truth))
        drawn.append(_area(new[some], truth[some]) - _area(old[some], truth[some]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    value = _area(new, truth) - _area(old, truth)
    return MetricValue("", value, "ratio", low=float(low), high=float(high), baseline=0.0)


def _area(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    apart = scores[truth][:, None] - scores[~truth][None]
    return float((apart > 0).mean() + 0.5 * (apart == 0).mean())


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    judged, others = await known_runs(context)
    policy = context.policies.get(JudgePolicy)
    runs = asked_runs([*judged, *others], lambda kind: recorded_words(context, kind))
    parts = halves(runs)
    plain = _crossed(parts, RECORD, policy, ONE)
    yield higher(f"AUROC, {RECORD}", auroc(plain), "ratio")
    yield higher(f"called failed or good rightly, {RECORD}", _called(plain, policy), "share")
    for one in calibration(plain):
        if isinstance(one, MetricValue):
            yield replace(one, name=f"{one.name}, {RECORD}", target=None)
    for way in (*WAYS, PAIR):
        for finding in _way_numbers(way, runs, parts, plain, policy):
            yield finding
    for askings in ((ONE,), (MOST,), ASKINGS):
        name = askings[0].name if len(askings) == 1 else "however it is asked"
        gain, chosen = _chosen(parts, policy, askings)
        yield replace(gain, name=f"gain in AUROC, {name}, the way chosen on the other half")
        yield higher(f"halves that choose steps, {name}", float(chosen.count("steps")), "count")
        yield higher(f"halves that choose result, {name}", float(chosen.count("result")), "count")


def _way_numbers(
    way: str,
    runs: Sequence[AskedRun],
    parts: tuple[list[AskedRun], list[AskedRun]],
    plain: Judged,
    policy: JudgePolicy,
) -> list[Finding]:
    shares = [(one.share(way), one.run.right) for one in runs]
    read = [(float(said), right) for said, right in shares if said is not None]
    unread = [word for one in runs for word in one.said[way]]
    made: list[Finding] = [
        higher(f"{way}: runs it has words about", float(len(read)), "count", baseline=len(runs),
               baseline_name="runs with an answer"),
    ]  # fmt: skip
    if not read:
        return made
    one_word = reliability(runs, way, ONE)
    made += [
        higher(f"{way}: AUROC alone, share of its words", auroc(read), "ratio",
               baseline=auroc(plain), baseline_name=RECORD),
        higher(f"{way}: skill of its first word", one_word.skill, "ratio", baseline=0.0,
               baseline_name="praises everything"),
        lower(f"{way}: words that cannot be read", share(unread.count(None), len(unread)), "share"),
    ]  # fmt: skip
    for asking in ASKINGS:
        both = _crossed(parts, way, policy, asking)
        told = f"with {asking.name}"
        made += [
            replace(gained(plain, both), name=f"{way}: gain in AUROC {told}"),
            higher(f"{way}: called failed or good rightly {told}", _called(both, policy), "share",
                   baseline=_called(plain, policy), baseline_name=RECORD),
        ]  # fmt: skip
        made += [
            replace(one, name=f"{way}: {one.name} {told}", target=None)
            for one in calibration(both)
            if isinstance(one, MetricValue)
        ]
    return made


def _called(judged: Judged, policy: JudgePolicy) -> float:
    return mean((score >= policy.failed_below) is right for score, right in judged)


def _crossed(
    parts: tuple[list[AskedRun], list[AskedRun]], way: str, policy: JudgePolicy, asking: Asking
) -> list[tuple[float, bool]]:
    """Each half judged with the reliability of the other."""
    found: list[tuple[float, bool]] = []
    for one, other in (parts, parts[::-1]):
        known = JudgeReliability() if way == RECORD else reliability(other, way, asking)
        found += scores(one, way, known, policy, asking)
    return found


def _chosen(
    parts: tuple[list[AskedRun], list[AskedRun]], policy: JudgePolicy, askings: Sequence[Asking]
) -> tuple[MetricValue, list[str]]:
    """On each half the way that is best on the other half, and which those are."""
    before: list[tuple[float, bool]] = []
    after: list[tuple[float, bool]] = []
    chosen: list[str] = []
    for judged, chose in (parts, parts[::-1]):
        known = {
            (way, asking): reliability(chose, way, asking)
            for way in (*WAYS, PAIR)
            for asking in askings
        }
        best = max(
            known,
            key=lambda one: auroc(scores(chose, one[0], known[one], policy, one[1])) or 0.0,
        )
        chosen.append(best[0])
        before += scores(judged, RECORD, JudgeReliability(), policy)
        after += scores(judged, best[0], known[best], policy, best[1])
    return gained(before, after), chosen


if __name__ == "__main__":
    measured("judge_ways")
