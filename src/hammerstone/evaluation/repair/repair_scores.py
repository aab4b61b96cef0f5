"""Broken programs with hidden tests, repaired: how many are fixed, how many wrongly accepted.

A task is `{task_id, declaration, buggy_solution, entry_point, test}` and perhaps `docstring`.
The repairer sees the program (with the docstring, if there is one) and the first call that
`test` complains about with its expected value; nothing else of `test`. Beside it, in the same
run, one plain prompt to the same model.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hammerstone.core.calls import Call
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.bank.live_eval import CountingModel
from hammerstone.evaluation.repair.plain_fix import MAX_TOKENS, plain_messages
from hammerstone.judging.scripts import passes_script
from hammerstone.learn.repair.author import FixAuthor, usable
from hammerstone.learn.repair.broken_tools import BrokenTool, complaint_of
from hammerstone.learn.repair.choice import features_of, score
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.learn.repair.first_failure import FirstFailure, asserted, first_failure
from hammerstone.learn.repair.fix import FixFinder, Search
from hammerstone.learn.repair.regression_check import stands
from hammerstone.learn.repair.repair_policy import RepairPolicy
from hammerstone.synthesis.replies import code_in

_LISTED = 8  # behaviours whose truth is kept, to fit the choice


@dataclass(frozen=True, slots=True)
class RepairScore:
    """What came of one task. `right` is about the chosen fix, promoted or not."""

    task_id: str
    promoted: bool
    right: bool
    confidence: float
    baseline_right: bool
    regressions: int
    origin: str
    change: str
    tokens: int
    seconds: float
    samples: int
    tried: int
    behaviours: list[Json] = field(default_factory=list[Json])

    @property
    def fixed(self) -> bool:
        return self.promoted and self.right


@dataclass(slots=True)
class RepairEvaluation:
    """`model` None tries edits alone: no baseline, no samples."""

    model: Model | None
    sandbox: Sandbox
    policy: RepairPolicy
    show: Callable[[str], None]
    resume: Path | None = None
    done: list[RepairScore] = field(default_factory=list[RepairScore])

    async def run(self, tasks: Sequence[BrokenTool]) -> JsonObject:
        """Every task in turn, going on where a broken-off run stopped; the numbers at the end."""
        known = {one.task_id: one for one in _read_results(self.resume)}
        for task in tasks:
            one = known.get(task.task_id)
            if one is None:
                one = await self._try(task)
                self._keep(one)
            self.done.append(one)
            verdict = "promoted" if one.promoted else "proposal"
            mark = "right" if one.right else "wrong"
            plain = "right" if one.baseline_right else "wrong"
            self.show(
                f"{one.task_id:12} {verdict:9} {one.confidence:4.0%} {mark:5} by {one.origin:8}"
                f" baseline {plain:5} {one.seconds:5.1f} s {one.tokens:5} tokens  {one.change}"
            )
        return self.numbers()

    def _keep(self, one: RepairScore) -> None:
        if self.resume is not None:
            with self.resume.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")

    async def _try(self, task: BrokenTool) -> RepairScore:
        failure = await first_failure(task.plain_code, task.entry_point, task.test, self.sandbox)
        baseline = await self._baseline(task, failure)
        began = time.perf_counter()
        counting = CountingModel(self.model) if self.model else None
        author = FixAuthor(counting) if counting else None
        complaint = complaint_of(task, failure)
        search = await FixFinder(self.sandbox, author, self.policy).find(complaint)
        choice = search.choice
        sure = search.confidence >= self.policy.promote
        if sure and choice is not None:
            verdict = await stands(complaint, choice.candidate.code, self.sandbox, self.policy)
            sure = verdict.holds
        seconds = time.perf_counter() - began
        code = choice.candidate.code if choice else ""
        return RepairScore(
            task_id=task.task_id,
            promoted=sure,
            right=bool(code) and await self._passes(task, code),
            confidence=search.confidence,
            baseline_right=await self._passes(task, baseline),
            regressions=await self._regressions(task, code) if sure else 0,
            origin=choice.candidate.origin if choice else "-",
            change=choice.candidate.change if choice else "nothing meets every case",
            tokens=counting.usage.tokens if counting else 0,
            seconds=seconds,
            samples=search.samples,
            tried=search.tried,
            behaviours=await self._labelled(task, search),
        )

    async def _baseline(self, task: BrokenTool, failure: FirstFailure | None) -> str:
        """One prompt with the code and the first failing call."""
        if self.model is None:
            return ""
        messages = plain_messages(complaint_of(task, failure))
        prompt = Prompt(messages, max_tokens=MAX_TOKENS, purpose="plain")
        reply = await self.model.complete(prompt)
        plain = Complaint(task.entry_point, task.plain_code, "", Case(CaseKind.PROPERTY, Call()))
        return next(iter(usable([code_in(reply.text)], plain)), "")

    async def _passes(self, task: BrokenTool, code: str) -> bool:
        return await passes_script(self.sandbox, code, task.test, task.imports)

    async def _regressions(self, task: BrokenTool, code: str) -> int:
        """Asserts of the tests that the faulty program passed and the fix fails."""
        before = await asserted(task.plain_code, task.entry_point, task.test, self.sandbox)
        after = await asserted(code, task.entry_point, task.test, self.sandbox)
        return sum(ok and not after.get(line, False) for line, ok in before.items())

    async def _labelled(self, task: BrokenTool, search: Search) -> list[Json]:
        """The likeliest behaviours with their features and the truth, to fit the choice on."""
        many = [
            (features_of(b, search.behaviours, search.samples, len(search.cases)), b)
            for b in search.behaviours
        ]
        many.sort(key=lambda pair: -score(pair[0]))
        rows: list[Json] = []
        for features, behaviour in many[:_LISTED]:
            right = await self._passes(task, behaviour.best.code)
            rows.append({"features": dict[str, Json](features), "right": right})
        return rows

    def numbers(self) -> JsonObject:
        """The keys everybody asked for first, then what explains them."""
        count = len(self.done)
        share = count or 1
        promoted = [one for one in self.done if one.promoted]
        fixed = sum(one.fixed for one in self.done)
        baseline = sum(one.baseline_right for one in self.done)
        return {
            "n": count,
            "fixed": fixed,
            "wrongly_accepted": sum(not one.right for one in promoted),
            "regressions": sum(one.regressions for one in self.done),
            "baseline_fixed": baseline,
            "mean_tokens": sum(one.tokens for one in self.done) / share,
            "mean_seconds": sum(one.seconds for one in self.done) / share,
            "promoted": len(promoted),
            "chosen_right": sum(one.right for one in self.done),
            "fixed_share": fixed / share,
            "baseline_share": baseline / share,
            "wrongly_accepted_share": sum(not one.right for one in promoted) / share,
            "mean_candidates": sum(one.tried for one in self.done) / share,
            "mean_samples": sum(one.samples for one in self.done) / share,
            "model": self.model.name if self.model else "none: edits only",
        }


def _read_results(path: Path | None) -> Iterator[RepairScore]:
    if path is None or not path.exists():
        return
    try:
        for line in filter(str.strip, path.read_text("utf-8").splitlines()):
            yield RepairScore(**json.loads(line))
    except (OSError, ValueError, TypeError) as error:
        raise BadRequest(
            f"{path} cannot be gone on with: {error}", hint="name a new file"
        ) from None
