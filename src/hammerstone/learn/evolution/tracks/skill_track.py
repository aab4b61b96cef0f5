"""The skill or tool track: what fails gets a tool by the usual proof, or its tool is repaired."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BudgetExceeded, HammerstoneError, Stopped
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.evolution.judges.causes import FailureClass, FailureFinding, RootCause
from hammerstone.learn.evolution.tracks.track import TrackName, TrackOutcome, TrackResult, TrackTask
from hammerstone.learn.policies import SkillTrackPolicy
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.learn.repair.tool_repairer import RepairOutcome, RepairResult


@dataclass(frozen=True, slots=True)
class MadeTool:
    """What asking for a tool came to: its name if one was proved, and why not otherwise."""

    tool: str = ""
    why: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class SkillWorkbench:
    """`repair` mends a tool by its recorded failures, `make` has a request answered and proved.

    Both decide by their own proof; the gate and the registry write down what they change.
    """

    repair: Callable[[str], Awaitable[RepairResult]]
    make: Callable[[str], Awaitable[MadeTool]]
    policy: Callable[[], SkillTrackPolicy]
    tools: Callable[[], Awaitable[Sequence[str]]]


@dataclass(slots=True)
class _Work:
    """What one attempt has done so far."""

    account: list[str] = field(default_factory=list[str])
    kept: list[str] = field(default_factory=list[str])
    waiting: list[str] = field(default_factory=list[str])
    tried: int = 0
    refused: bool = False


class SkillTrack:
    """Repairs tools that are to blame, and has tools made where none is."""

    name = TrackName.SKILL

    def __init__(self, bench: SkillWorkbench) -> None:
        self._bench = bench

    async def try_change(self, task: TrackTask) -> TrackResult:
        work = _Work()
        known = set(await self._bench.tools())
        failures = [one for one in task.failures if _concerns(one)]
        broken = list(dict.fromkeys(one.tool for one in failures if one.tool in known))
        missing = list(
            dict.fromkeys(one.request for one in failures if one.request and one.tool not in known)
        )
        try:
            await self._repair(broken, task, work)
            await self._make(missing, task, work)
        except BudgetExceeded as error:
            work.account.append(f"The budget ended: {error.message}.")
            return self._result(task, work, ended=True)
        return self._result(task, work)

    async def _repair(self, broken: Sequence[str], task: TrackTask, work: _Work) -> None:
        for tool in broken[: self._bench.policy().repairs]:
            task.purse.check()
            work.tried += 1
            try:
                async with task.purse.within():
                    result = await self._bench.repair(tool)
            except (BudgetExceeded, Stopped):
                raise
            except HammerstoneError as error:
                work.account.append(f"{tool} could not be repaired: {error.message}.")
                continue
            work.account.append(f"{tool}: {result.outcome}. {result.reason}".strip())
            if result.outcome is RepairOutcome.REPAIRED:
                work.kept.append(tool)
            elif result.outcome is ProposalState.WAITING:
                work.waiting.append(result.proposal or tool)

    async def _make(self, missing: Sequence[str], task: TrackTask, work: _Work) -> None:
        if missing and task.review:
            work.refused = True
            work.account.append(
                f"Tools are missing for {len(missing)} requests, the first of them "
                f"{missing[0][:80]!r}. In review mode none is made without you: "
                f"`hammerstone evolve run {task.suite} --track skill --continuous` makes them."
            )
            return
        for request in missing[: self._bench.policy().builds]:
            task.purse.check()
            work.tried += 1
            try:
                async with task.purse.within():
                    made = await self._bench.make(request)
            except (BudgetExceeded, Stopped):
                raise
            except HammerstoneError as error:
                work.account.append(f"No tool for {request[:80]!r}: {error.message}.")
                continue
            task.purse.spend(made.usage)
            if made.tool:
                work.kept.append(made.tool)
                work.account.append(f"The tool {made.tool} was made and proved.")
            else:
                work.account.append(f"No tool for {request[:80]!r}: {made.why}.")

    def _result(self, task: TrackTask, work: _Work, *, ended: bool = False) -> TrackResult:
        if not work.tried and not work.refused:
            work.account.append("No failure is one that a tool would prevent.")
        outcome = next(
            (
                one
                for one, holds in (
                    (TrackOutcome.KEPT, work.kept),
                    (TrackOutcome.WAITING, work.waiting),
                    (TrackOutcome.SPENT, ended),
                    (TrackOutcome.REVERTED, work.tried),
                    (TrackOutcome.REFUSED, work.refused),
                )
                if holds
            ),
            TrackOutcome.NOTHING,
        )
        tools: list[Json] = [*work.kept]
        change: JsonObject = {"tools": tools} if tools else {}
        proposal = work.waiting[0] if work.waiting else ""
        return task.result(TrackName.SKILL, outcome, work.account, proposal, change=change)


def _concerns(failure: FailureFinding) -> bool:
    nobody = failure.cause in (RootCause.OUTAGE, RootCause.MISSING_KNOWLEDGE, RootCause.HARNESS)
    return failure.kind in (FailureClass.SKILL, FailureClass.BOTH) and not nobody
