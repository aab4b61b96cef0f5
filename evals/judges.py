"""Judges measured where the truth is known: scores of runs, causes of failures, whole traces.

    python -m evals.judges [--set instant|quick|full] [--json]

300 recorded runs (`recorded_runs.py`) are scored by the record alone, and with the embedded model
as judge (its recorded words, `evals/data/judge_replies.json.gz`); the model's reliability is
measured on the other 110 runs, never on those that are judged. `judges_causes` has the product
really fail with planted causes (`planted_runs.py`; the rules were written while looking at
other planted runs, which are left out), `judges_traces` the model judge whole traces.
"""

import gzip
import json
import re
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evals.measured import measured
from evals.planted_runs import EACH, planted_cases, run_planted
from evals.recorded_runs import KnownRun, known_runs
from hammerstone.app.evolution.trace_reading import programs_again
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.evaluations import CaseOutcome, MetricValue
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import calibration, case, higher, lower, share
from hammerstone.judging.equality import same_answer
from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.causes import RootCause
from hammerstone.learn.evolution.judges.classifying import classify
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.model_judges import read_run_word
from hammerstone.learn.evolution.judges.scoring import score_run, wants_model, with_model
from hammerstone.learn.evolution.judges.trace_judging import controls, read_word

REPLIES = "evals/data/judge_replies.json.gz"
CAUSE_OF = {
    RootCause.ARITHMETIC: "missing tool",
    RootCause.DATES: "missing tool",
    RootCause.OUTSIDE_CALL: "missing tool",
    RootCause.MISSING_TOOL: "missing tool",
}
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def auroc(judged: Sequence[tuple[float, bool]]) -> float | None:
    """The chance that a right run has a higher score than a wrong one."""
    right = [score for score, good in judged if good]
    wrong = [score for score, good in judged if not good]
    if not right or not wrong:
        return None
    won = sum((r > w) + 0.5 * (r == w) for r in right for w in wrong)
    return won / (len(right) * len(wrong))


def recorded_words(context: MeasurementContext, kind: str) -> dict[str, list[str]]:
    """Recorded replies of the embedded model as judge, the greedy one first; empty without."""
    path = context.resources.find_file(REPLIES)
    if path is None:
        return {}
    return json.loads(gzip.decompress(path.read_bytes())).get(kind, {})


def read_lenient(text: str) -> bool | None:
    """A word of a reply that no grammar was enforced on."""
    found = _OBJECT.search(text)
    return read_run_word(found[0]) if found else None


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """One case a run: whether the score falls on the right side of the mark."""
    runs, others = await known_runs(context)
    policy = context.policies.get(JudgePolicy)
    scored = [(score_run(run.facts, policy), run) for run in runs]
    plain = [(score.score, run.right) for score, run in scored]
    outcomes = [_outcome(score.score, run, policy) for score, run in scored]
    for outcome in outcomes:
        yield outcome
    agree = [(run.facts.agree / max(1, run.facts.solutions), run.right) for run in runs]
    yield higher("AUROC, record alone", auroc(plain), "ratio", baseline=auroc(agree),
                 baseline_name="share that agree")  # fmt: skip
    for finding in calibration(plain):
        yield finding
    yield passed_share("called failed or good rightly, record alone", outcomes)
    for finding in _with_model(context, runs, others, policy):
        yield finding


def _outcome(score: float, run: KnownRun, policy: JudgePolicy) -> CaseOutcome:
    good = score >= policy.failed_below
    return case(run.facts.run_id, good == run.right, {"score": score},
                asked=run.facts.request, given=f"{score:.2f}",
                wanted="good" if run.right else "failed")  # fmt: skip


def _with_model(
    context: MeasurementContext,
    runs: Sequence[KnownRun],
    others: Sequence[KnownRun],
    policy: JudgePolicy,
) -> list[Finding]:
    words = recorded_words(context, "runs")
    if not words:
        return []
    said = {name: read_lenient(texts[0]) for name, texts in words.items()}
    reliability = JudgeReliability.of(
        (said[run.facts.run_id], run.right) for run in others if run.facts.run_id in said
    )
    both: list[tuple[float, bool]] = []
    believed: list[tuple[float, bool]] = []
    trusting = replace(policy, least_skill=-1.0, control_cases=0)
    asked = 0
    for run in runs:
        score = trusted = score_run(run.facts, policy)
        word = said.get(run.facts.run_id)
        if word is not None and wants_model(score, policy):
            asked += 1
            score = with_model(score, word, reliability, policy)
            trusted = with_model(trusted, word, reliability, trusting)
        both.append((score.score, run.right))
        believed.append((trusted.score, run.right))
    plain = [(score_run(run.facts, policy).score, run.right) for run in runs]
    alone = [
        (_share_right(words[r.facts.run_id]), r.right) for r in runs if r.facts.run_id in words
    ]
    greedy = [(said[r.facts.run_id], r.right) for r in runs if said.get(r.facts.run_id) is not None]
    always = share(sum(true for _, true in greedy), len(greedy))
    record = {"baseline": auroc(plain), "baseline_name": "record alone"}
    return [
        higher("AUROC, model judge alone (8 words)", auroc(alone), "ratio", **record),
        higher("AUROC, record and model judge", auroc(both), "ratio", **record),
        higher("AUROC, record and model judge if it counted", auroc(believed), "ratio", **record),
        *(replace(one, name=f"{one.name}, model judge alone (8 words)", target=None)
          for one in _errors(alone)),
        *(replace(one, name=f"{one.name}, record and model judge if it counted", target=None)
          for one in _errors(believed)),
        *_own_results(words, runs),
        higher("model judge's word is right", share(sum(w == t for w, t in greedy), len(greedy)),
               baseline=always, baseline_name="always good"),
        higher("reliability measured on other runs", reliability.share),
        higher("skill on other runs (0: praises everything)", reliability.skill, "ratio"),
        lower("replies that cannot be read", float(reliability.unread), "count"),
        higher("runs that the model was asked about", float(asked), "count"),
        higher("model judge counts (1: yes)", float(reliability.counts(policy)), "count"),
        higher("called failed or good rightly, record and model",
               share(sum((s >= policy.failed_below) == t for s, t in both), len(both))),
    ]  # fmt: skip


def _own_results(words: Mapping[str, Sequence[str]], runs: Sequence[KnownRun]) -> list[MetricValue]:
    """What the judge says the result is, held against the answer that it was shown."""
    shares: list[tuple[float, bool]] = []
    for run in runs:
        said = [read_result(text) for text in words.get(run.facts.run_id, [])]
        read = [one for one in said if one]
        if read:
            same = sum(same_answer(one, run.facts.given) for one in read)
            shares.append((same / len(read), run.right))
    wrong = [one for one, right in shares if not right]
    return [
        higher("AUROC, the judge's own result is the answer (8 words)", auroc(shares), "ratio"),
        lower("of wrong answers, those that the judge's own result repeats",
              share(sum(wrong), len(wrong))),
    ]  # fmt: skip


def read_result(text: str) -> str:
    """The judge's own result in a reply; empty where there is none."""
    found = _OBJECT.search(text)
    try:
        return str(json.loads(found[0])["result"]) if found else ""
    except (ValueError, KeyError, TypeError):
        return ""


def _errors(judged: Sequence[tuple[float, bool]]) -> list[MetricValue]:
    return [one for one in calibration(judged) if isinstance(one, MetricValue)]


def _share_right(texts: Sequence[str]) -> float:
    words = [word for word in map(read_lenient, texts) if word is not None]
    return sum(words) / len(words) if words else 0.5


async def cause_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Planted causes, found again: a case each, and the confusion as counts."""
    policy = context.policies.get(JudgePolicy)
    cases = [one for one in planted_cases(context) if not one.seen]
    table: Counter[tuple[str, str]] = Counter()
    outcomes: list[CaseOutcome] = []
    right = 0
    with tempfile.TemporaryDirectory(prefix="hammerstone-planted-") as folder:
        some = context.some(cases, instant=24, quick=80)
        async for one, facts in run_planted(some, context.settings, Path(folder)):
            context.say(f"{len(outcomes) + right + 1} of {len(some)}")
            score = score_run(facts, policy)
            again = await programs_again(facts, context.sandbox)
            facts = replace(facts, programs_again=again)
            if not score.failed(policy):
                right += 1  # what was planted did not make it fail
                continue
            found = classify(facts, score)
            name = CAUSE_OF.get(found.cause, str(found.cause))
            table[one.cause, name] += 1
            outcomes.append(case(one.id, name == one.cause, tags=(one.cause, one.fault or "-"),
                                 asked=one.request, given=f"{found.cause}: {found.why}",
                                 wanted=one.cause))  # fmt: skip
            yield outcomes[-1]
    yield passed_share("causes found", outcomes, baseline=0.25, baseline_name="by chance")
    for finding in _confusion(table):
        yield finding
    yield higher("planted runs that were right all the same", float(right), "count")
    yield higher("planted for each cause", float(EACH), "count")


def _confusion(table: Mapping[tuple[str, str], int]) -> list[Finding]:
    planted = sorted({cause for cause, _ in table})
    found = sorted({name for _, name in table})
    return [
        higher(f"{cause} called {name}", float(table[cause, name]), "count")
        for cause in planted
        for name in found
        if table.get((cause, name))
    ]


async def trace_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The embedded model as judge of traces of known truth, by its recorded words."""
    words = recorded_words(context, "traces")
    outcomes: list[CaseOutcome] = []
    pairs: list[tuple[bool | None, bool]] = []
    followed = 0
    for one in controls():
        found = _OBJECT.search(words[one.id][0])
        try:
            word = read_word(found[0] if found else "", one.tools, "recorded")
        except ModelNonsense:
            pairs.append((None, one.good))
            outcomes.append(case(one.id, False, given="cannot be read"))
            continue
        pairs.append((word.good, one.good))
        followed += one.order and word.praises
        told = ", ".join(f"{name} {mark:.1f}" for name, mark in word.marks.items())
        outcomes.append(case(one.id, word.good == one.good, given=told,
                             wanted="good" if one.good else "bad"))  # fmt: skip
    for outcome in outcomes:
        yield outcome
    reliability = JudgeReliability.of(pairs)
    yield passed_share("traces judged rightly", outcomes, baseline=0.5, baseline_name="always good")
    yield higher("skill (0: praises everything)", reliability.skill, "ratio")
    yield lower("planted orders that it followed", float(followed), "count", target=0)
    counts = reliability.counts(context.policies.get(JudgePolicy)) and not followed
    yield higher("judge of traces counts (1: yes)", float(counts), "count")


if __name__ == "__main__":
    measured("judges", "judges_causes", "judges_traces")
