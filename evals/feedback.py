"""Tools with a bug, a person who says "wrong, V" once: are other arguments right from then on?

    python -m evals.feedback [--set instant|quick|full] [--json]

Each task of a repair set is a tool in the library, wrong as it is there. A simulated person who
knows the truth (the set's own solution, run in the sandbox) asks for every call that the task's
tests make, through `ask`, and says once what the first wrong answer should have been. Counted are
the next requests with other arguments: right before, right without feedback, right after it; and
repairs that are in force and wrong on any call. `feedback` repairs with edits alone, and a script
reads the arguments; in `feedback_known_fix` the script offers the set's own solution as a fix,
which measures the way from "wrong" to a mended tool and not who writes the fix; in
`feedback_live` everything is done by the configured model.
"""

import ast
import json
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.measured import measured
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core import wire
from hammerstone.core.calls import Call, Program
from hammerstone.core.chat import Prompt
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Case, CaseKind, Spec, Status
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
    share,
)
from hammerstone.evaluation.repair.broken_tools import BrokenTool, read_broken
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.rendering import plain
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel

DATA = "repair/humanevalfix.jsonl"
MOST_CALLS = 6
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call, what it has to return, and what the broken tool returns; both in wire form."""

    arguments: JsonObject
    truth: Any
    given: Any

    @property
    def is_wrong(self) -> bool:
        return not same(decoded(self.truth), decoded(self.given))


@dataclass(frozen=True, slots=True)
class FeedbackTask:
    tool: BrokenTool
    right_code: str
    description: str
    calls: tuple[KnownCall, ...]

    @property
    def complaint(self) -> KnownCall:
        return next(call for call in self.calls if call.is_wrong)

    @property
    def others(self) -> list[KnownCall]:
        return [call for call in self.calls if call is not self.complaint]


@dataclass(slots=True)
class FeedbackScore:
    """One task: shares are right answers of asked ones, with other arguments than the complaint."""

    task_id: str
    others: int = 0
    before: int = 0
    without: int = 0
    after: int = 0
    same_words: bool = False
    outcome: str = ""
    repaired: bool = False
    wrong_repair: bool = False
    reached: bool = True


@dataclass(slots=True)
class Person:
    """Asks for calls of tools in plain words; a script reads the arguments where there is one."""

    hs: Hammerstone
    arguments: JsonObject = field(default_factory=dict[str, Any])

    async def ask(self, task: FeedbackTask, call: KnownCall, session: str) -> Any:
        self.arguments.clear()
        self.arguments.update(call.arguments)
        named = ", ".join(f"{name} = {json.dumps(v)}" for name, v in call.arguments.items())
        name = task.tool.entry_point
        words = f"Please {name.replace('_', ' ')} ({name}) with {named}"
        return await self.hs.ask(words, session=f"{session} {name}")

    async def count_right(self, task: FeedbackTask, session: str) -> int:
        right = 0
        for call in task.others:
            answer = await self.ask(task, call, session)
            right += answer.result is not None and same(answer.result, plain(call.truth))
        return right


def test_calls(task: BrokenTool) -> Iterator[JsonObject]:
    """The arguments of the calls in a task's tests that are written out."""
    function = next(n for n in ast.walk(ast.parse(task.test)) if isinstance(n, ast.FunctionDef))
    called = function.args.args[0].arg if function.args.args else task.entry_point
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or node.keywords:
            continue
        if not isinstance(node.func, ast.Name) or node.func.id not in (called, task.entry_point):
            continue
        try:
            values = [ast.literal_eval(argument) for argument in node.args]
            json.dumps(values, allow_nan=False)
        except (ValueError, TypeError, SyntaxError):
            continue
        if len(values) == len(task.parameters):
            yield dict(zip(task.parameters, values, strict=True))


async def known_calls(task: BrokenTool, right_code: str, sandbox: Sandbox) -> tuple[KnownCall, ...]:
    """The calls of a task's tests with the truth and what the broken tool returns."""
    found: list[KnownCall] = []
    for arguments in list(test_calls(task))[: MOST_CALLS * 2]:
        call = Call(kwargs={name: wire.encode(value) for name, value in arguments.items()})
        programs = [Program(code, task.entry_point) for code in (right_code, task.plain_code)]
        (truth,), (given,) = await sandbox.matrix(programs, [call])
        if truth.ok and given.ok and plain(truth.value) is not None:
            found.append(KnownCall(arguments, truth.value, given.value))
    wrong = [call for call in found if call.is_wrong]
    fine = [call for call in found if not call.is_wrong]
    return tuple([*wrong[: MOST_CALLS - 1], *fine][:MOST_CALLS])


async def usable_tasks(data: Path, most: int, sandbox: Sandbox) -> list[FeedbackTask]:
    """The first tasks of the set with a wrong answer and at least two other calls."""
    rows = {
        row["task_id"]: row for row in map(json.loads, data.read_text("utf-8").splitlines()) if row
    }
    found: list[FeedbackTask] = []
    for task in read_broken(data):
        row = rows[task.task_id]
        right_code = row["declaration"] + row["canonical_solution"]
        calls = await known_calls(task, right_code, sandbox)
        if len(calls) > 2 and any(call.is_wrong for call in calls):
            text = (task.docstring or task.entry_point).strip().split(">>>")[0]
            description = " ".join(text.split())[:300] or task.entry_point
            found.append(FeedbackTask(task, right_code, description, calls))
        if len(found) >= most:
            break
    return found


async def register(hs: Hammerstone, task: FeedbackTask) -> None:
    first = task.calls[0].arguments
    properties: JsonObject = {
        name: {"type": _TYPES[type(value)]} if type(value) in _TYPES else {}
        for name, value in first.items()
    }
    spec = Spec(
        name=task.tool.entry_point,
        description=task.description,
        parameters={"type": "object", "properties": properties, "required": [*first]},
        returns={},
    )
    fine = [call for call in task.calls if not call.is_wrong][:2]
    suite = tuple(
        Case(
            CaseKind.VALUE,
            Call(kwargs={name: wire.encode(value) for name, value in call.arguments.items()}),
            call.truth,
            origin="author 1",
        )
        for call in fine
    )
    new = NewVersion(spec, task.tool.plain_code, suite, (), Status.VERIFIED, 0.95, {}, {})
    await hs.tools.register(new, ActivationReason("registered", "eval", "with a bug"))


async def measure(person: Person, task: FeedbackTask) -> FeedbackScore:
    score = FeedbackScore(task.tool.task_id, others=len(task.others))
    score.before = await person.count_right(task, "before")
    score.without = await person.count_right(task, "without feedback")
    answer = await person.ask(task, task.complaint, "complaint")
    if answer.tool != task.tool.entry_point:
        score.reached, score.after = False, score.without
        return score
    if same(answer.result, plain(task.complaint.truth)):
        score.reached, score.after = False, score.without  # it is right already
        return score
    reply = await person.hs.feedback.wrong(plain(task.complaint.truth), run=answer.run_id)
    score.outcome, score.repaired = reply.outcome, reply.outcome == "repaired"
    score.after = await person.count_right(task, "after")
    again = await person.ask(task, task.complaint, "again")
    score.same_words = same(again.result, plain(task.complaint.truth))
    score.wrong_repair = score.repaired and score.after < score.others
    return score


def scripted(arguments: JsonObject, fixes: list[str]) -> Callable[[Prompt], str]:
    """Reads arguments as the person means them, offers the last of `fixes`, knows nothing else."""

    def reply(prompt: Prompt) -> str:
        if prompt.purpose == "arguments":
            return json.dumps(arguments)
        return f"```python\n{fixes[-1]}\n```" if fixes and prompt.purpose == "fix" else "no idea"

    return reply


async def run(
    context: MeasurementContext, data: Path, most: int, *, with_model: bool, known_fix: bool
) -> AsyncGenerator[FeedbackScore, None]:
    with tempfile.TemporaryDirectory() as folder:
        arguments, fixes = dict[str, Any](), list[str]()
        models = None if with_model else OneModel(ScriptedModel(scripted(arguments, fixes)))
        base = context.settings if with_model else Settings(embedder="off")
        settings = base.model_copy(update={"data_dir": Path(folder), "starter_tools": False})
        if with_model:
            for shared in (base.models_dir, base.runtime_dir):
                (Path(folder) / shared.name).symlink_to(shared)
        tasks = await usable_tasks(data, most, await context.sandbox())
        async with Hammerstone.open(settings, models=models) as hs:
            if not with_model:
                sure: JsonObject = {"high": 0.02, "middle": 0.02}
                await hs.policies.change("fit", sure, who="eval", why="words alone have to do")
            for task in tasks:
                await register(hs, task)
            person = Person(hs, arguments)
            for task in tasks:
                fixes[:] = [task.right_code] if known_fix else []
                yield await measure(person, task)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Repairs of edits alone; a script reads the arguments."""
    async for finding in _found(context, with_model=False, known_fix=False):
        yield finding


async def known_fix_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The script offers the set's own solution: the way from "wrong" to a mended tool."""
    async for finding in _found(context, with_model=False, known_fix=True):
        yield finding


async def live_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Everything is done by the configured model."""
    async for finding in _found(context, with_model=True, known_fix=False):
        yield finding


async def _found(
    context: MeasurementContext, *, with_model: bool, known_fix: bool
) -> AsyncGenerator[Finding, None]:
    most = amount(context, instant=12, quick=20 if not with_model else 3, full=60)
    data = context.file(DATA)
    reached: list[FeedbackScore] = []
    async for score in run(context, data, most, with_model=with_model, known_fix=known_fix):
        reached += [score] if score.reached else []
        yield case(
            score.task_id, score.after == score.others, tags=("reached",) * score.reached,
            given=f"{score.after} of {score.others} other requests right, {score.before} before",
            wanted="all of them right after one word", reason=score.outcome or "not reached",
            numbers={"gain": (score.after - score.before) / max(1, score.others)},
        )  # fmt: skip
        if context.time_is_up():
            break
    others = sum(score.others for score in reached)
    yield higher(
        "next requests right after one word", share(sum(s.after for s in reached), others),
        baseline=share(sum(s.without for s in reached), others),
        baseline_name="without the word",
    )  # fmt: skip
    yield higher("tools repaired", share(sum(s.repaired for s in reached), len(reached)))
    wrong = sum(score.wrong_repair for score in reached)
    yield lower("wrong repairs in force", wrong, "count", target=0)
    same = sum(score.same_words for score in reached)
    yield higher("the same words right afterwards", share(same, len(reached)))


if __name__ == "__main__":
    measured("feedback", "feedback_known_fix")
