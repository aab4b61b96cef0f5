"""A plan is outcome out: steps that can run at once do, each is checked before the next."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Usage
from hammerstone.core.json_types import Json
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.act.stepping import StepInputs, StepRunner
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, PlanStep
from hammerstone.run.services import Records
from hammerstone.storage import StepRow


@dataclass(slots=True)
class TaskNode:
    """One step of the task tree: how far it came and what it cost."""

    step: PlanStep
    status: str = "waiting"
    tool: str = ""
    error: str = ""
    result: Json = None
    spent: Usage = field(default_factory=Usage)
    seconds: float = 0.0

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.step.id,
            "text": self.step.text,
            "after": [*sorted(self.step.needs)],
            "tool": self.tool or None,
            "status": self.status,
            "error": self.error or None,
            "tokens": self.spent.tokens,
            "model_calls": self.spent.calls,
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True)
class PlanOutcome:
    """The result of a plan. `stopped` is the step that ended it early, if one did."""

    done: dict[str, StepOutcome] = field(default_factory=dict[str, StepOutcome])
    nodes: list[TaskNode] = field(default_factory=list[TaskNode])
    stopped: StepOutcome | None = None

    @property
    def last(self) -> StepOutcome:
        return next(reversed(self.done.values()))

    def pairs(self) -> list[tuple[TaskNode, StepOutcome]]:
        """The steps that were done, with what they came to."""
        return [(n, self.done[n.step.id]) for n in self.nodes if n.step.id in self.done]

    def checks(self) -> dict[str, Json]:
        """What is confirmed, contradicted, or cannot be verified, step by step.

        A proved tool confirms nothing by itself: what is confirmed is this value, by a solution
        or a case that came to the same.
        """
        told: dict[str, list[Json]] = {"confirmed": [], "contradicted": [], "unverified": []}
        for node in self.nodes:
            kind, why = _check(self.done.get(node.step.id), node.error)
            told[kind].append(f"{node.step.text}: {why}")
        return {name: list(each) for name, each in told.items()}


def _check(step: StepOutcome | None, error: str) -> tuple[str, str]:
    """In which list a step's result belongs, and why."""
    if step is None:
        return "unverified", error or "not done"
    if step.doubt:
        return "contradicted", step.doubt
    if step.agrees:
        return "confirmed", "a second, independent solution gave the same result"
    if step.confirmed:
        return "confirmed", step.confirmed
    if step.tool is not None:
        return (
            "unverified",
            f"{step.tool.name} is {step.tool.status}; nothing else checked it",
        )
    tally = step.solved.tally if step.solved else None
    if tally is not None and tally.agree > 1 and tally.agree * 2 > tally.total:
        return "confirmed", f"{tally.agree} of {tally.total} solutions gave the same result"
    return "unverified", step.solved.why if step.solved else "not proved"


class PlanRunner:
    """The runner of plans; it keeps the task tree of those with several steps."""

    def __init__(self, steps: StepRunner, records: Records) -> None:
        self._steps = steps
        self._records = records

    async def carry_out(self, run: Run, plan: Plan, inputs: StepInputs) -> PlanOutcome:
        """Run the steps in their order; the first that fails stops those that wait for it."""
        outcome = PlanOutcome(nodes=[TaskNode(step) for step in plan.steps])
        nodes: Mapping[str, TaskNode] = {node.step.id: node for node in outcome.nodes}
        for wave in plan.waves():
            ready = [step for step in wave if step.needs <= outcome.done.keys()]
            results = await asyncio.gather(
                *(self._one(run, nodes[step.id], outcome.done, inputs) for step in ready),
                return_exceptions=True,
            )
            for step, result in zip(ready, results, strict=True):
                if isinstance(result, BaseException):
                    await self._write(run, outcome.nodes)
                    raise result
                if result.ok:
                    outcome.done[step.id] = result
                elif outcome.stopped is None:
                    outcome.stopped = result
            await self._write(run, outcome.nodes)
        if any(node.status == "waiting" for node in outcome.nodes):
            for node in outcome.nodes:
                node.status = "skipped" if node.status == "waiting" else node.status
            await self._write(run, outcome.nodes)
        return outcome

    async def _one(
        self, run: Run, node: TaskNode, done: Mapping[str, StepOutcome], inputs: StepInputs
    ) -> StepOutcome:
        if len(done) or node.step.needs:
            text = f"step {node.step.id}: {node.step.text}"
            await run.say(EventKind.PLANNING, text, step=node.step.id)
        node.status = "running"
        began_s, before = self._records.clock.elapsed_s(), run.budget.spent
        try:
            one = await self._steps.run_step(run, node.step, done, inputs)
        except BaseException as error:
            node.status, node.error = "failed", str(error)
            raise
        finally:
            node.seconds = self._records.clock.elapsed_s() - began_s
            node.spent = _difference(run.budget.spent, before)
        node.status = "done" if one.ok else "failed"
        node.tool = one.tool.name if one.tool else ""
        node.error, node.result = one.error, one.result
        return one

    async def _write(self, run: Run, nodes: list[TaskNode]) -> None:
        """Store the task tree as it is now; a plan of one step is its own record."""
        if len(nodes) < 2:
            return
        await run.ready()
        records, now = self._records, self._records.clock.now()
        rows = [
            StepRow(
                run_id=run.id,
                id=node.step.id,
                place=place,
                text=records.clean_text(node.step.text),
                status=node.status,
                at=now,
                tool=node.tool,
                result=records.scrub(node.result),
                error=records.clean_text(node.error),
                tokens=node.spent.tokens,
                model_calls=node.spent.calls,
                usd=node.spent.usd,
                seconds=node.seconds,
            )
            for place, node in enumerate(nodes, 1)
        ]
        await records.db.steps.put(rows)


def _difference(now: Usage, before: Usage) -> Usage:
    return Usage(
        now.prompt_tokens - before.prompt_tokens,
        now.cached_tokens - before.cached_tokens,
        now.output_tokens - before.output_tokens,
        now.usd - before.usd,
        now.seconds - before.seconds,
        now.calls - before.calls,
    )
