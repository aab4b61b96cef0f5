"""The whole pipeline with a live model on tasks that have hidden tests.

A task is `{task_id, name, spec, hidden}`: `spec` is the head of a Python function with its
docstring, `hidden` a script to run after the candidate's code. The hidden tests are run in the
sandbox once the verdict is out; nothing before that sees them. Beside it, in the same run, one
plain prompt to the same model. What came of each task can be kept in a file, one line a task: a
run that was broken off goes on from there.
"""

import ast
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model, Sandbox
from hammerstone.evaluation.data_files import read_lines, reading
from hammerstone.evaluation.kept_results import Progress
from hammerstone.judging.cases import passes_script
from hammerstone.prompts import load
from hammerstone.synthesis.build import Builder
from hammerstone.synthesis.code.replies import code_in
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.suites.examples import read_examples
from hammerstone.synthesis.examine.verdict import (
    BehaviourStanding,
    ExaminationVerdict,
    ExaminePolicy,
)
from hammerstone.synthesis.witnesses import Assignment, imports_of


@dataclass(frozen=True, slots=True)
class Task:
    task_id: str
    name: str
    spec: str
    hidden: str


@dataclass(frozen=True, slots=True)
class LiveTaskResult:
    """What came of one task."""

    task_id: str
    standing: BehaviourStanding
    confidence: float
    right: bool
    plain_right: bool
    seconds: float
    usage: Usage
    candidates: int
    suites: int
    plain_seconds: float = 0.0
    plain_tokens: int = 0
    reason: str = ""
    code: str = ""  # to be looked at when the verdict was wrong
    plain: str = ""

    def to_json(self) -> JsonObject:
        return asdict(self) | {"standing": str(self.standing)}

    @staticmethod
    def of_row(standing: str, usage: dict[str, Any], **row: Any) -> "LiveTaskResult":
        return LiveTaskResult(standing=BehaviourStanding(standing), usage=Usage(**usage), **row)


class CountingModel:
    """Adds up what a model's calls cost."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.usage = Usage()

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        reply = await self._model.complete(prompt, on_token=on_token)
        self.usage += reply.usage
        return reply

    async def close(self) -> None:
        """Whoever gave the model closes it."""


@dataclass(slots=True)
class LiveEvaluation:
    model: Model
    sandbox: Sandbox
    policy: ExaminePolicy
    show: Callable[[str], None]
    kept: Path | None = None  # what came of each task, one line each
    tried: list[LiveTaskResult] = field(default_factory=list[LiveTaskResult])

    async def run(self, tasks: Sequence[Task]) -> JsonObject:
        """Every task in turn; the numbers at the end."""
        progress = Progress(LiveTaskResult.of_row, lambda one: one.task_id, self.kept)
        progress.load()
        for number, task in enumerate(tasks, start=1):
            tried = progress.done.get(task.task_id)
            if tried is None:
                tried = await self.try_task(task)
                progress.add(tried)
            self.tried.append(tried)
            mark = "right" if tried.right else "wrong"
            plain = "right" if tried.plain_right else "wrong"
            self.show(
                f"{number:3}/{len(tasks)} {task.task_id:14} {tried.standing:12} "
                f"{tried.confidence:4.0%} {mark:5}  plain prompt {plain:5}  "
                f"{tried.seconds:5.1f} s {tried.usage.tokens:6} tokens  "
                f"{tried.candidates} candidates {tried.suites} suites"
            )
        return self.numbers()

    async def try_task(self, task: Task) -> LiveTaskResult:
        """One task, built as the product does and by one plain prompt, then judged."""
        baseline = CountingModel(self.model)
        began = time.perf_counter()
        plain = await self._plain(task, baseline)
        plain_seconds = time.perf_counter() - began
        counting = CountingModel(self.model)
        began = time.perf_counter()
        verdict = await self._build(task, counting)
        seconds = time.perf_counter() - began
        return LiveTaskResult(
            task_id=task.task_id,
            standing=verdict.standing,
            confidence=verdict.confidence,
            right=await self._passes(task, verdict.code or ""),
            plain_right=await self._passes(task, plain),
            seconds=seconds,
            usage=counting.usage,
            candidates=verdict.candidates_used,
            suites=verdict.suites_used,
            plain_seconds=plain_seconds,
            plain_tokens=baseline.usage.tokens,
            reason=verdict.reason,
            code=verdict.code or "",
            plain=plain,
        )

    async def _build(self, task: Task, model: Model) -> ExaminationVerdict:
        truth = read_examples(task.spec, task.name, _parameters(task))
        examination = Examination(task.name, self.sandbox, truth=truth)
        assignment = Assignment(task.name, task.spec)
        builder = Builder(model, model, self.sandbox, judge=model)

        async def silent(_kind: EventKind, _text: str, _data: dict[str, Json]) -> None:
            return

        return await builder.examine(examination, assignment, self.policy, notify=silent)

    async def _plain(self, task: Task, model: Model) -> str:
        messages = load("code_plain").fill(name=task.name, spec=task.spec)
        prompt = Prompt(messages, max_tokens=600, purpose="plain")
        return code_in((await model.complete(prompt)).text)

    async def _passes(self, task: Task, code: str) -> bool:
        return await passes_script(self.sandbox, code, task.hidden, imports_of(task.spec))

    def numbers(self) -> JsonObject:
        count = len(self.tried) or 1
        verified = [one for one in self.tried if one.standing is BehaviourStanding.VERIFIED]
        right = sum(one.right for one in verified)
        return {
            "tasks": len(self.tried),
            "verified": len(verified),
            "verified_correct": right,
            "coverage": len(verified) / count,
            "precision": right / len(verified) if verified else None,
            "best_candidate_right": sum(one.right for one in self.tried) / count,
            "plain_prompt_right": sum(one.plain_right for one in self.tried) / count,
            "mean_candidates": sum(one.candidates for one in self.tried) / count,
            "mean_suites": sum(one.suites for one in self.tried) / count,
            "mean_seconds": sum(one.seconds for one in self.tried) / count,
            "mean_tokens": sum(one.usage.tokens for one in self.tried) / count,
            "plain_prompt_seconds": sum(one.plain_seconds for one in self.tried) / count,
            "plain_prompt_tokens": sum(one.plain_tokens for one in self.tried) / count,
            "model": self.model.name,
        }


def read_tasks(path: Path, limit: int = 0, skip: int = 0) -> list[Task]:
    """`limit` tasks of a JSONL file, plain or gzipped, after `skip`; 0 takes all."""
    with reading(path, "is no file of tasks", "JSONL of task_id, name, spec, hidden"):
        tasks = [
            Task(row.get("task_id", row["name"]), row["name"], row["spec"], row["hidden"])
            for row in read_lines(path)
        ]
    return tasks[skip : skip + limit if limit else None]


def _parameters(task: Task) -> list[str]:
    try:
        tree = ast.parse(f"{task.spec}\n    pass")
    except SyntaxError:
        return []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == task.name:
            return [argument.arg for argument in node.args.args]
    return []
