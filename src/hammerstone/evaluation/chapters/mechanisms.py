"""Mechanisms that can be switched off, each on recorded data of the chapter it matters for."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.evaluations import Better, CaseOutcome, Chapter
from hammerstone.core.json_types import JsonObject
from hammerstone.evaluation.answers.answer_rows import read_bank, read_rows
from hammerstone.evaluation.answers.answers import record, score
from hammerstone.evaluation.bank.baselines import ONE_SUITE, baselines
from hammerstone.evaluation.bank.evaluate import ScoredTask, Setup, examine_task, side_by_side
from hammerstone.evaluation.bank.recorded import RememberingSandbox
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.evaluation.bank.tasks import read_bank as read_tasks
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Needs
from hammerstone.evaluation.board.numbers.ablation import Ablation, AblationPair
from hammerstone.evaluation.chapters.of_repository import script
from hammerstone.evaluation.chapters.recorded_answers import BANK, CHECK, PROMPT, ROWS
from hammerstone.evaluation.chapters.tool_search import learned_search
from hammerstone.evaluation.repair.bugs import read_bugs
from hammerstone.evaluation.repair.fix_sources import RecordedFixes
from hammerstone.evaluation.repair.recorded_fixes import read_recording
from hammerstone.evaluation.repair.repair_scores import RepairEvaluation
from hammerstone.learn.policies import RepairPolicy
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.synthesis.examine.verdict import ExaminePolicy

TOOLS, QUERIES = "retrieval/toole_tools.jsonl", "retrieval/toole_queries.jsonl"
BANKS = ("synthesis_bank/humaneval.json.gz", "synthesis_bank/mbpp.json.gz")
BUGS, FIXES = "evals/data/repair_bugs.jsonl.gz", "evals/data/repair_samples.json.gz"
CALLS, TRIES = 12, 3
_CALLED: tuple[str, JsonObject] = ("percentage_of", {"percent": 17.5, "number": 240})


async def _votes(context: MeasurementContext) -> Sequence[AblationPair]:
    rows, bank = read_rows(context.file(ROWS)), read_bank(context.file(BANK))
    recorded = await record(rows, bank, [PROMPT], await context.sandbox())
    policy = context.policies.get(AnswerPolicy)
    alone = replace(policy, max_solutions=1)
    return [
        AblationPair(one.row.id, float(score(one, policy).right), float(score(one, alone).right))
        for one in recorded
    ]


async def _search_from_use(context: MeasurementContext) -> Sequence[AblationPair]:
    pairs: list[AblationPair] = []
    async for finding in learned_search(context, TOOLS, QUERIES):
        if isinstance(finding, CaseOutcome):
            pairs.append(AblationPair(finding.case, finding.score, finding.numbers["before"]))
    return pairs


@dataclass(frozen=True, slots=True)
class _ExaminedTask:
    """A task of the bank examined as it is, with one question, and by one suite that passes."""

    task: str
    silent: ScoredTask
    asking: ScoredTask
    suite: bool | None  # by one suite: None is not verified, else whether it is right


class _ExaminedBank:
    """The bank examined once, for both mechanisms that it shows."""

    def __init__(self) -> None:
        self._tasks: list[_ExaminedTask] = []

    async def cross_examination(self, context: MeasurementContext) -> Sequence[AblationPair]:
        tasks = await self._examined(context)
        return [AblationPair(one.task, _good(one.silent), float(bool(one.suite))) for one in tasks]

    async def wrongly_verified(self, context: MeasurementContext) -> Sequence[AblationPair]:
        return [
            AblationPair(
                one.task,
                float(one.silent.verified and not one.silent.right),
                float(one.suite is False),
            )
            for one in await self._examined(context)
        ]

    async def question(self, context: MeasurementContext) -> Sequence[AblationPair]:
        tasks = await self._examined(context)
        return [AblationPair(one.task, _good(one.asking), _good(one.silent)) for one in tasks]

    async def _examined(self, context: MeasurementContext) -> list[_ExaminedTask]:
        sandbox = await context.sandbox()
        silent = Setup(policy=context.policies.get(ExaminePolicy))

        async def one(task: BankTask) -> _ExaminedTask:
            remembering = RememberingSandbox(sandbox)
            alone = await examine_task(task, remembering, silent)
            asking = await examine_task(task, remembering, replace(silent, questions=1))
            suite = (await baselines(task, remembering)).rules[ONE_SUITE]
            await remembering.close()
            context.say(task.id)
            return _ExaminedTask(task.id, alone, asking, suite)

        if not self._tasks:
            banks = [read_tasks(context.file(name)) for name in BANKS]
            tasks = [task for bank in banks for task in context.some(bank, instant=8, quick=30)]
            self._tasks = await side_by_side(tasks, one)
        return self._tasks


def _good(scored: ScoredTask) -> float:
    return float(scored.verified and scored.right)


async def _repair(context: MeasurementContext) -> Sequence[AblationPair]:
    policy = context.policies.get(RepairPolicy)
    source = RecordedFixes(read_recording(context.file(FIXES)))
    evaluation = RepairEvaluation(source, await context.sandbox(), policy, context.say)
    bugs = context.some(read_bugs(context.file(BUGS)), instant=8, quick=24)
    return [
        AblationPair(one.id, float(one.right and one.accepted(policy.promote)), one.plain_right)
        for one in await evaluation.run(bugs)
    ]


async def _cache(context: MeasurementContext) -> Sequence[AblationPair]:
    """The same call with the cache and without it in turns: a busy machine slows both alike."""
    pairs: list[AblationPair] = []
    async with context.product(embedder="off", starter_tools=True) as product:
        await _call_ms(product, cached=True)  # the first call fills the cache
        for number in range(CALLS):
            on, off = [await _call_ms(product, cached=cached) for cached in (True, False)]
            pairs.append(AblationPair(str(number), on, off))
    return pairs


async def _call_ms(product: Hammerstone, *, cached: bool) -> float:
    """Milliseconds of a call, the fastest of a few: what else the machine did only adds."""
    why = "what is it worth?"
    await product.policies.change("cache", {"enabled": cached}, who="evaluation", why=why)
    name, arguments = _CALLED
    spent: list[float] = []
    for _ in range(TRIES):
        began = time.perf_counter()
        await product.run_tool(name, arguments)
        spent.append((time.perf_counter() - began) * 1e3)
    return min(spent)


async def _composites(context: MeasurementContext) -> Sequence[AblationPair]:
    found = await script("composite_asking").measure("off")
    return [
        AblationPair(one["request"], one["composite_s"] * 1e3, one["steps_s"] * 1e3)
        for one in found["served"]
    ]


def ablations() -> tuple[Ablation, ...]:
    """Every mechanism, in the order of the chapters."""
    bank = _ExaminedBank()
    return (
        Ablation(
            "votes", "the first solution is the answer", Chapter.CORRECTNESS,
            "answers that are right", _votes, needs=Needs(files=(ROWS, CHECK, BANK), sandbox=True),
        ),
        Ablation(
            "cross-examination", "one suite that passes is the proof", Chapter.SYNTHESIS,
            "tools verified and right", bank.cross_examination,
            needs=Needs(files=BANKS, sandbox=True),
        ),
        Ablation(
            "cross-examination", "one suite that passes is the proof", Chapter.SYNTHESIS,
            "wrong tools called verified", bank.wrongly_verified, better=Better.LOWER,
            needs=Needs(files=BANKS, sandbox=True),
        ),
        Ablation(
            "question", "the person is never asked", Chapter.SYNTHESIS,
            "tools verified and right", bank.question, needs=Needs(files=BANKS, sandbox=True),
        ),
        Ablation(
            "search from use", "search knows descriptions only", Chapter.RETRIEVAL,
            "right tool first", _search_from_use,
            needs=Needs(files=(TOOLS, QUERIES), embedder=True),
        ),
        Ablation(
            "composites", "each step is a call of its own", Chapter.WORKFLOWS,
            "a request of several steps", _composites, "ms", Better.LOWER,
            needs=Needs(checkout=True, sandbox=True),
        ),
        Ablation(
            "repair", "one plain prompt to the same model", Chapter.LEARNING,
            "bugs fixed", _repair, needs=Needs(files=(BUGS, FIXES), sandbox=True),
        ),
        Ablation(
            "cache", "each call runs again", Chapter.PERFORMANCE,
            "the same call again", _cache, "ms", Better.LOWER, needs=Needs(sandbox=True),
        ),
    )  # fmt: skip
