"""Public sets in the files in which they are published, put into `published/` of the data folder.

`gsm8k*.jsonl`, `svamp*.json`, `bbh/*.json`: asked as requests. `humaneval*.jsonl[.gz]` and
`mbpp*.jsonl[.gz]`: built and judged by their tests. `bfcl*.json` with `bfcl*_answers.json`:
arguments read.
"""

from collections.abc import AsyncGenerator
from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.evaluation.answers.argument_scores import OURS, score_arguments
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import FULL, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import case
from hammerstone.evaluation.chapters.live_requests import asked_rows
from hammerstone.evaluation.chapters.live_synthesis import built_tasks
from hammerstone.evaluation.chapters.published_files import (
    Row,
    read_bbh,
    read_bfcl,
    read_gsm8k,
    read_humaneval,
    read_mbpp,
    read_svamp,
)
from hammerstone.evaluation.families.families import read_check

FOLDER, ROWS, CHECK = "published", "requests/dev.jsonl", "requests/check.py"
ANSWERS = "_answers"
_REQUESTS = (("gsm8k*.jsonl", read_gsm8k), ("svamp*.json", read_svamp), ("bbh/*.json", read_bbh))
_TASKS = (("humaneval*.jsonl*", read_humaneval), ("mbpp*.jsonl*", read_mbpp))


async def published_requests(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """GSM8K, SVAMP and BIG-Bench Hard asked of the product."""
    is_right = read_check(context.file(CHECK).parent / "dev.jsonl")
    found: list[Row] = [
        row
        for pattern, read in _REQUESTS
        for path in sorted(context.file(FOLDER).glob(pattern))
        for row in read(path)
    ]
    rows = [AnswerRow(str(row["id"]), str(row["q"]), row, is_right) for row in found]
    async for finding in asked_rows(context, context.some(rows, instant=1, quick=3)):
        yield finding


async def published_synthesis(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """HumanEval and MBPP built as tools."""
    tasks = [
        task
        for pattern, read in _TASKS
        for path in sorted(context.file(FOLDER).glob(pattern))
        for task in read(path)
    ]
    outcomes: list[CaseOutcome] = []
    async for outcome in built_tasks(context, context.some(tasks, instant=1, quick=2)):
        outcomes.append(outcome)
        yield outcome
    plain = sum(one.numbers["plain"] for one in outcomes) / max(1, len(outcomes))
    name = "one plain prompt"
    yield passed_share("chosen program right", outcomes, baseline=plain, baseline_name=name)


async def published_arguments(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """BFCL as its files are."""
    model = context.model(Role.PLANNER)
    cases = [one for path in _questions(context.file(FOLDER)) for one in read_bfcl(*path)]
    outcomes: list[CaseOutcome] = []
    for number, one in enumerate(context.some(cases, instant=1, quick=5)):
        if context.time_is_up():
            break
        read = await score_arguments(number, one, OURS, model)
        outcomes.append(
            case(
                f"{number:04} {one.spec.name}", read.right, asked=one.query, given=read.values,
                wanted=one.accepted, seconds=read.seconds,
                tokens=read.prompt_tokens + read.output_tokens,
            )
        )  # fmt: skip
        yield outcomes[-1]
    yield passed_share("arguments right", outcomes)


def _questions(folder: Path) -> list[tuple[Path, Path]]:
    """Each file of questions beside its file of answers."""
    pairs = [(path, path.with_name(f"{path.stem}{ANSWERS}.json")) for path in folder.glob("bfcl*")]
    return sorted((path, answers) for path, answers in pairs if answers.exists())


_NEEDS = Needs(files=(FOLDER, CHECK), model=True, sandbox=True)
MEASUREMENTS = (
    Measurement("published_requests", "GSM8K, SVAMP and BIG-Bench Hard as published",
                Chapter.CORRECTNESS, published_requests, FULL, _NEEDS),
    Measurement("published_arguments", "BFCL as published", Chapter.CORRECTNESS,
                published_arguments, FULL, _NEEDS),
    Measurement("published_synthesis", "HumanEval and MBPP as published", Chapter.SYNTHESIS,
                published_synthesis, FULL, _NEEDS),
)  # fmt: skip
