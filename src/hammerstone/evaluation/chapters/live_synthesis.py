"""Synthesis with a live model: tools built from a specification and judged by hidden tests."""

from collections.abc import AsyncGenerator

from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.bank.live_eval import LiveEvaluation, LiveTaskResult, Task, read_tasks
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share, seconds_of
from hammerstone.evaluation.chapters.findings import case
from hammerstone.synthesis.examine.verdict import BehaviourStanding, ExaminePolicy

TASKS = "synthesis_bank/tasks.jsonl.gz"
# pass@1 of the model as its makers report it, greedy (Qwen2.5-Coder Technical Report).
PUBLISHED = 0.665
PUBLISHED_BY = "Qwen2.5-Coder-1.5B-Instruct, arXiv 2409.12186"


async def built_tasks(
    context: MeasurementContext, tasks: list[Task]
) -> AsyncGenerator[CaseOutcome, None]:
    """Each task built as the product does, and by one plain prompt to the same model."""
    policy = context.policies.get(ExaminePolicy)
    evaluation = LiveEvaluation(context.model(), await context.sandbox(), policy, context.say)

    async def build(task: Task) -> CaseOutcome:
        return _outcome(task, await evaluation.try_task(task))

    async for outcome in context.each(tasks, lambda task: task.task_id, build):
        yield outcome


def _outcome(task: Task, tried: LiveTaskResult) -> CaseOutcome:
    verified = tried.standing is BehaviourStanding.VERIFIED
    return case(
        task.task_id,
        tried.right,
        {
            "verified": float(verified),
            "confidence": tried.confidence,
            "plain": float(tried.plain_right),
            "candidates": float(tried.candidates),
            "suites": float(tried.suites),
        },
        asked=task.spec,
        given=tried.code or tried.standing,
        wanted="right on the hidden tests",
        reason="" if tried.right else tried.reason,
        seconds=tried.seconds,
        tokens=tried.usage.tokens,
        tags=("verified but wrong",) if verified and not tried.right else (),
    )


async def humaneval_live(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """HumanEval+ through the whole pipeline."""
    tasks = context.some(read_tasks(context.file(TASKS)), instant=1, quick=2)
    outcomes: list[CaseOutcome] = []
    async for outcome in built_tasks(context, tasks):
        outcomes.append(outcome)
        yield outcome
    plain = sum(one.numbers["plain"] for one in outcomes) / max(1, len(outcomes))
    yield passed_share(
        "chosen program right", outcomes, baseline=plain, baseline_name="one plain prompt"
    )
    yield mean_of(
        "one plain prompt right", "plain", outcomes,
        baseline=PUBLISHED, baseline_name=PUBLISHED_BY,
    )  # fmt: skip
    verified = [one for one in outcomes if one.numbers["verified"]]
    yield mean_of("tools verified", "verified", outcomes)
    yield passed_share("verified tools that are right", verified, target=0.95, paired=False)
    yield seconds_of("one task, median", outcomes)


MEASUREMENTS = (
    Measurement(
        "humaneval_live",
        "HumanEval+ built by the model",
        Chapter.SYNTHESIS,
        humaneval_live,
        QUICK,
        Needs(files=(TASKS,), model=True, sandbox=True),
        weight=5,
    ),
)
