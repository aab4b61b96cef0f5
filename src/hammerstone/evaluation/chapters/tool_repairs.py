"""Repair: programs with a known bug, fixed and judged by what nobody was shown."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from hammerstone.core.evaluations import Better, CaseOutcome, Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import INSTANT, QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share, seconds_of
from hammerstone.evaluation.chapters.findings import case, lower, share
from hammerstone.evaluation.repair.broken_tools import bug_of, read_broken
from hammerstone.evaluation.repair.bugs import SHOWN, KeptBug, read_bugs
from hammerstone.evaluation.repair.fix_sources import FixSource, LiveFixes, RecordedFixes
from hammerstone.evaluation.repair.recorded_fixes import read_recording
from hammerstone.evaluation.repair.repair_scores import RepairEvaluation, RepairScore
from hammerstone.learn.policies import RepairPolicy

BROKEN = "repair/humanevalfix.jsonl"
BUGS, SAMPLES = "evals/data/repair_bugs.jsonl.gz", "evals/data/repair_samples.json.gz"
# HumanEvalFix, Python, pass@1: tests are shown, one fix is written (OctoPack).
PUBLISHED = 0.47
PUBLISHED_BY = "GPT-4, arXiv 2308.07124"


async def recorded_repairs(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Bugs of people, of models and of mutants with fixes that the model wrote earlier."""
    bugs = [one for one in read_bugs(context.file(BUGS)) if one.part == SHOWN]
    source = RecordedFixes(read_recording(context.file(SAMPLES)))
    outcomes: list[CaseOutcome] = []
    async for outcome in _repaired(context, context.some(bugs, instant=6, quick=8), source):
        outcomes.append(outcome)
        yield outcome
    for finding in _numbers(outcomes):
        yield finding


async def live_repairs(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """HumanEvalFix with fixes by the configured model."""
    sandbox = await context.sandbox()
    chosen = context.some(read_broken(context.file(BROKEN)), instant=1, quick=2)
    bugs = [KeptBug(await bug_of(task, sandbox)) for task in chosen]
    outcomes: list[CaseOutcome] = []
    async for outcome in _repaired(context, bugs, LiveFixes(context.model())):
        outcomes.append(outcome)
        yield outcome
    for finding in _numbers(outcomes):
        yield finding
    yield mean_of(
        "likeliest fix right, accepted or not", "right", outcomes,
        baseline=PUBLISHED, baseline_name=PUBLISHED_BY,
    )  # fmt: skip
    yield seconds_of("one repair, median", outcomes)


async def _repaired(
    context: MeasurementContext, bugs: Sequence[KeptBug], source: FixSource
) -> AsyncGenerator[CaseOutcome, None]:
    policy = context.policies.get(RepairPolicy)
    evaluation = RepairEvaluation(source, await context.sandbox(), policy, context.say)

    async def repair(kept: KeptBug) -> CaseOutcome:
        outcome = _outcome(await evaluation.repair(kept), policy.promote)
        # Tokens of recorded fixes were spent when they were recorded.
        return replace(outcome, tokens=0) if isinstance(source, RecordedFixes) else outcome

    async for outcome in context.each(bugs, lambda kept: kept.bug.id, repair):
        yield outcome


def _outcome(score: RepairScore, mark: float) -> CaseOutcome:
    accepted = score.accepted(mark)
    verdict = "accepted" if accepted else "refused"
    return case(
        score.id,
        accepted and score.right,
        {
            "accepted": float(accepted),
            "right": float(score.right),
            "wrong": float(accepted and not score.right),
            "plain": float(score.plain_right),
            "regressions": float(score.regressions if accepted else 0),
            "confidence": score.confidence,
        },
        given=f"{verdict}, {'right' if score.right else 'wrong'}: {score.change}",
        wanted="a right fix that is accepted",
        reason="accepted but wrong" if accepted and not score.right else "",
        tags=(score.kind,),
        seconds=score.seconds,
        tokens=score.tokens,
    )


def _numbers(outcomes: Sequence[CaseOutcome]) -> list[Finding]:
    count = len(outcomes)
    plain = share(sum(one.numbers["plain"] for one in outcomes), count)
    broken = sum(one.numbers["regressions"] for one in outcomes)
    return [
        passed_share("fixed", outcomes, baseline=plain, baseline_name="one plain prompt"),
        mean_of("wrongly accepted", "wrong", outcomes, better=Better.LOWER, target=0.03),
        lower("regressions of accepted fixes", broken, "count"),
    ]


MEASUREMENTS = (
    Measurement(
        "repair_recorded",
        "Broken tools, with recorded fixes",
        Chapter.LEARNING,
        recorded_repairs,
        INSTANT,
        Needs(files=(BUGS, SAMPLES), sandbox=True, checkout=True),
        weight=2,
    ),
    Measurement(
        "humanevalfix",
        "HumanEvalFix repaired by the model",
        Chapter.LEARNING,
        live_repairs,
        QUICK,
        Needs(files=(BROKEN,), model=True, sandbox=True),
        weight=4,
    ),
)
