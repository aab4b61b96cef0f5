"""Tool making in the style of LATM: a tool from three examples, then others answered with it."""

from collections.abc import AsyncGenerator, Sequence
from functools import partial

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import FULL, QUICK, Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share, seconds_of
from hammerstone.evaluation.chapters.findings import amount, case, lower
from hammerstone.evaluation.chapters.live_requests import answer_of
from hammerstone.evaluation.chapters.made_tasks import PAPER, SHOWN, TASKS, MadeQuestion, MadeTask
from hammerstone.evaluation.families.families import IsRight, read_check

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"


async def tool_making(context: MeasurementContext, task: MadeTask) -> AsyncGenerator[Finding, None]:
    """Three examples, a tool made of them, and up to 50 other questions."""
    others = amount(context, instant=2, quick=3, full=50)
    questions = task.questions(SHOWN + others)
    is_right = read_check(context.file(ROWS))
    outcomes: list[CaseOutcome] = []
    async with context.product(starter_tools=False) as engine:
        made = await _made(engine, task, questions[:SHOWN])
        context.tokens += made.cost.tokens

        async def ask(question: MadeQuestion) -> CaseOutcome:
            return await _asked(engine, question, is_right, made.tool)

        async for outcome in context.each(questions[SHOWN:], lambda one: one.id, ask, chained=True):
            outcomes.append(outcome)
            yield outcome
    yield passed_share("right", outcomes, baseline=task.published, baseline_name=PAPER)
    yield mean_of("answered by the tool that was made", "by_tool", outcomes)
    yield mean_of("model calls an answer", "model_calls", outcomes, unit="count")
    yield lower("tokens to make the tool", made.cost.tokens, "count")
    yield seconds_of("one answer, median", outcomes)


async def _made(engine: Hammerstone, task: MadeTask, shown: Sequence[MadeQuestion]) -> Answer:
    examples = "\n".join(f"Question: {one.text}\nAnswer: {_said(one.want)}" for one in shown)
    text = f"Build a tool: it {task.about}. It answers questions such as these:\n{examples}"
    answer = await answer_of(engine, text)
    return await engine.proofs.wait(answer) if answer.run_id else answer


async def _asked(
    engine: Hammerstone, question: MadeQuestion, is_right: IsRight, tool: str | None
) -> CaseOutcome:
    answer = await answer_of(engine, question.text)
    return case(
        question.id,
        bool(is_right(question.row, answer.result)),
        {
            "by_tool": float(tool is not None and answer.tool == tool),
            "model_calls": float(answer.cost.model_calls),
        },
        asked=question.text,
        given=answer.text,
        wanted=question.want,
        tokens=answer.cost.tokens,
        trace_id=answer.trace_id,
    )


def _said(want: object) -> str:
    if isinstance(want, list):
        return " ".join(map(str, want))
    return f"{want:g}" if isinstance(want, float) else str(want)


MEASUREMENTS = tuple(
    Measurement(
        f"latm_{task.name}",
        f"A tool made of three examples: {task.name.replace('_', ' ')}",
        Chapter.SYNTHESIS,
        partial(tool_making, task=task),
        QUICK if task.name == "word_sorting" else FULL,
        Needs(files=(CHECK,), model=True, sandbox=True),
        weight=4,
        chained=True,
    )
    for task in TASKS
)
