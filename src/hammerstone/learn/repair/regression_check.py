"""The regression wall: nothing that worked may stop working, and nothing may become slow."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program, ResourceUse
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.judging.cases import passes
from hammerstone.judging.equality import decoded, same
from hammerstone.judging.rendering import call_source, show
from hammerstone.learn.policies import FixStandards
from hammerstone.learn.promotion.evidence import ScorePair
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.tracing import span

_CASE_WALL_S = 5.0
_FLOOR_S = 0.002  # below this a call's time is noise


@dataclass(frozen=True, slots=True)
class RegressionVerdict:
    """Whether a fix stands, what it breaks, and which other values it changes."""

    holds: bool
    reason: str = ""
    broken: tuple[str, ...] = ()
    changed: tuple[JsonObject, ...] = field(default=())
    passed: int = 0
    slower: float = 1.0
    pairs: tuple[ScorePair, ...] = ()  # cases and past calls as measured, the failing call first
    took_s: float = 0.0  # to find the fix and to try it

    def to_json(self) -> JsonObject:
        return {
            "holds": self.holds,
            "reason": self.reason,
            "broken": list(self.broken),
            "changed": list(self.changed),
            "passed": self.passed,
            "slower": self.slower,
        }


async def stands(
    complaint: Complaint,
    code: str,
    sandbox: Sandbox,
    policy: FixStandards,
    limits: Limits = STANDARD,
) -> RegressionVerdict:
    """Old program and fix on every case and every recorded call, each in its own process.

    A case the old program passes must still pass, the failing one must pass now, a recorded
    success must still give a value; the time for what both can do may not grow out of bounds.
    """
    cases = list(complaint.cases)
    calls = [case.call for case in cases] + [replayed.call for replayed in complaint.replays]
    programs = [Program(text, complaint.function) for text in (complaint.code, code)]
    with span("regression wall", kind="sandbox") as traced:
        before, after = await sandbox.matrix(
            programs, calls, limits=limits, case_wall_s=min(_CASE_WALL_S, limits.wall_s)
        )
        passed = [await passes(case, o, sandbox) for case, o in zip(cases, before, strict=False)]
        still = [await passes(case, o, sandbox) for case, o in zip(cases, after, strict=False)]
        traced.set("calls", len(calls))
    broken = [
        _told(case.call, complaint.function, after[n])
        for n, case in enumerate(cases)
        if not still[n] and (passed[n] or n == 0)
    ]
    changed: list[JsonObject] = []
    for replayed, outcome in zip(complaint.replays, after[len(cases) :], strict=True):
        if not outcome.ok:
            broken.append(_told(replayed.call, complaint.function, outcome))
        elif not same(decoded(outcome.value), decoded(replayed.value)):
            changed.append(_change(replayed.call, complaint.function, replayed.value, outcome))
    slower = _slower(before, after)
    reason = ""
    if broken:
        reason = f"{broken[0]}" + (f" and {len(broken) - 1} more" if len(broken) > 1 else "")
    elif slower >= policy.slower:
        reason = f"{slower:.0f} times slower than before"
    return RegressionVerdict(
        holds=not reason,
        reason=reason,
        broken=tuple(broken),
        changed=tuple(changed),
        passed=sum(still),
        slower=slower,
        pairs=tuple(
            ScorePair(_source(call, complaint.function), float(old), float(new))
            for call, old, new in zip(
                calls,
                [*passed, *(outcome.ok for outcome in before[len(cases) :])],
                [*still, *(outcome.ok for outcome in after[len(cases) :])],
                strict=True,
            )
        ),
    )


def _slower(before: Sequence[Outcome], after: Sequence[Outcome]) -> float:
    """How many times longer the fix takes for the calls that both answer."""
    both = [(a, b) for a, b in zip(before, after, strict=True) if a.ok and b.ok]
    old = sum(_seconds(a.use) for a, _ in both)
    new = sum(_seconds(b.use) for _, b in both)
    return new / old if both else 1.0


def _seconds(use: ResourceUse) -> float:
    """A call's processor time, which a busy machine does not change; its whole time where the
    sandbox cannot measure that."""
    return max(_FLOOR_S, use.cpu_s or use.wall_s)


def _told(call: Call, function: str, outcome: Outcome) -> str:
    source = _source(call, function)
    if outcome.ok:
        return f"{source} gives {show(outcome.value)[:200]}"
    return f"{source} fails: {outcome.error_type or outcome.failure}"


def _change(call: Call, function: str, before: Json, outcome: Outcome) -> JsonObject:
    source = _source(call, function)
    return {"call": source, "before": show(before)[:200], "after": show(outcome.value)[:200]}


def _source(call: Call, function: str) -> str:
    return (call_source(call, function) or function)[:200]
