"""Synthesis on recorded candidates and suites: what is verified, and is it right?"""

from collections.abc import AsyncGenerator
from functools import partial

from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.bank.baselines import ONE_SUITE, baselines
from hammerstone.evaluation.bank.evaluate import AT_ONCE, ScoredTask, Setup, examine_task
from hammerstone.evaluation.bank.recorded import RememberingSandbox
from hammerstone.evaluation.bank.tasks import BankTask, read_bank
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import calibration, case
from hammerstone.synthesis.examine.verdict import ExaminePolicy

BANKS = {
    "synthesis_humaneval": ("HumanEval+", "synthesis_bank/humaneval.json.gz"),
    "synthesis_mbpp": ("MBPP", "synthesis_bank/mbpp.json.gz"),
}
VERIFIED, RIGHT = "verified", "right"


async def recorded_synthesis(
    context: MeasurementContext, path: str
) -> AsyncGenerator[Finding, None]:
    """Cross-examination of real candidates and tests of the embedded model.

    A case passes when its tool is verified and right; one that is wrong and verified is the
    worst that can happen, so it has a metric of its own.
    """
    sandbox = await context.sandbox()
    setup = Setup(policy=context.policies.get(ExaminePolicy))

    async def one(task: BankTask) -> CaseOutcome:
        remembering = RememberingSandbox(sandbox)
        scored = await examine_task(task, remembering, setup)
        simple = (await baselines(task, remembering)).rules[ONE_SUITE]
        await remembering.close()
        return _outcome(task, scored, simple)

    tasks = context.some(read_bank(context.file(path)), instant=4, quick=6)
    outcomes: list[CaseOutcome] = []
    async for outcome in context.each(tasks, lambda task: task.id, one, AT_ONCE):
        outcomes.append(outcome)
        yield outcome
    verified = [one for one in outcomes if one.numbers[VERIFIED]]
    suite = [one for one in outcomes if one.numbers["suite_verified"]]
    simple = sum(one.numbers["suite_right"] for one in suite) / len(suite) if suite else None
    name = "one suite passes"
    yield mean_of(
        "tools verified", VERIFIED, outcomes,
        baseline=len(suite) / max(1, len(outcomes)), baseline_name=name, target=0.5,
    )  # fmt: skip
    yield passed_share(
        "verified tools that are right", verified,
        baseline=simple, baseline_name=name, target=0.95, paired=False,
    )  # fmt: skip
    yield mean_of("verified and right", "score", outcomes)
    for finding in calibration(
        [(one.numbers["confidence"], one.numbers[RIGHT]) for one in outcomes]
    ):
        yield finding


def _outcome(task: BankTask, scored: ScoredTask, simple: bool | None) -> CaseOutcome:
    good = scored.verified and scored.right
    wrong = "verified but wrong" if scored.verified else f"not verified: {scored.reason}"
    return case(
        task.id,
        good,
        seconds=scored.seconds,
        asked=task.spec,
        given=scored.standing,
        wanted="verified, and right on the hidden tests",
        reason="" if good else wrong,
        tags=("verified but wrong",) if scored.verified and not scored.right else (),
        numbers={
            VERIFIED: float(scored.verified),
            RIGHT: float(scored.right),
            "confidence": scored.confidence,
            "candidates": float(scored.candidates),
            "suite_verified": float(simple is not None),
            "suite_right": float(bool(simple)),
        },
    )


MEASUREMENTS = tuple(
    Measurement(
        name,
        f"Recorded candidates for {title} cross-examined",
        Chapter.SYNTHESIS,
        partial(recorded_synthesis, path=path),
        needs=Needs(files=(path,), sandbox=True),
        weight=3.0,
    )
    for name, (title, path) in BANKS.items()
)
