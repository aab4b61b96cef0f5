"""The fourth judge: starts the recommended tracks, cheapest first, until one helps."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from hammerstone.core.changes import IN_FORCE
from hammerstone.core.errors import BudgetExceeded, HammerstoneError, Stopped
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.evolution.judges.recommendation import Recommendation
from hammerstone.learn.evolution.tracks.constraints import ConstraintSnapshot, forbidden
from hammerstone.learn.evolution.tracks.purse import TrackCost, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    Track,
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
)
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.learn.tuning.knob import NOBODY, KnobUse
from hammerstone.library.policies import Policies
from hammerstone.storage import Database

GRACE_S = 30.0  # that a track has to come to an end after its time
ENDING = (TrackOutcome.KEPT, TrackOutcome.WAITING)
"""After these nothing dearer is tried: what was changed is measured first."""


@dataclass(frozen=True, slots=True)
class DispatchServices:
    db: Database
    gate: ChangeGate
    policies: Policies


class Dispatcher:
    """Calls tracks. Whatever a track does, the result is a value and the constraints hold."""

    def __init__(self, services: DispatchServices, tracks: Iterable[Track]) -> None:
        self._services = services
        self._knobs: KnobUse = NOBODY
        self.tracks: Mapping[TrackName, Track] = {track.name: track for track in tracks}

    def use_knobs(self, knobs: KnobUse) -> None:
        """Says who knows which prompts and policies are in an experiment."""
        self._knobs = knobs

    async def dispatch(
        self,
        advice: Recommendation,
        task: TrackTask,
        told: Callable[[TrackResult], Awaitable[None]],
    ) -> list[TrackResult]:
        """Try the recommended tracks in order; `told` hears of each as soon as it ended."""
        results: list[TrackResult] = []
        for name in advice.tracks:
            spent = task.purse.cost
            task.say(f"The track {name} begins{_left(task.purse)}.")
            result = await self._one(name, task)
            result = replace(result, cost=task.purse.cost - spent)
            results.append(result)
            await told(result)
            task.say(f"{name}, {result.outcome}: {' '.join(result.account)}")
            if result.outcome in ENDING or task.purse.used_up:
                break
        return results

    async def _one(self, name: TrackName, task: TrackTask) -> TrackResult:
        track = self.tracks.get(name)
        if track is None:
            return _result(name, TrackOutcome.REFUSED, f"{name} is not installed here")
        if task.purse.used_up:
            return _result(name, TrackOutcome.SPENT, "nothing is left to spend")
        if busy := await self._busy(task):
            return _result(name, TrackOutcome.REFUSED, *busy)
        before = ConstraintSnapshot.of(self._services.policies)
        result = await _tried(track, task)
        return await self._kept_within(result, before)

    async def _busy(self, task: TrackTask) -> list[str]:
        """Who works with the same knobs right now: two at once prove nothing."""
        names = sorted({f"prompt/{one.prompt}" for one in task.failures if one.prompt})
        uses = [(name, await self._knobs.in_use(name)) for name in names]
        return [
            f"{name} is in use: {who}. Try again when that has ended." for name, who in uses if who
        ]

    async def _kept_within(self, result: TrackResult, before: ConstraintSnapshot) -> TrackResult:
        """The result, unless what it changed is not for evolution to change: then taken back."""
        await self._services.policies.load()
        broken = before.broken_by(ConstraintSnapshot.of(self._services.policies))
        row = await self._services.db.proposals.find(result.proposal) if result.proposal else None
        if row is not None and (why := forbidden(row.kind, row.target, row.change)):
            broken.append(why)
        if not broken:
            return result
        if row is not None and row.status in IN_FORCE:
            await self._services.gate.undo(
                row.id,
                who="evolution",
                why=broken[0],
                cascade=True,
                to=ProposalState.ROLLED_BACK,
            )
            broken.append("it was taken back")
        elif row is not None and row.status in (ProposalState.PROPOSED, ProposalState.WAITING):
            await self._services.gate.refuse(row.id, who="evolution", why=broken[0])
        return replace(result, outcome=TrackOutcome.REFUSED, account=(*result.account, *broken))


async def _tried(track: Track, task: TrackTask) -> TrackResult:
    """One track's result. What it did not expect is BROKEN; the limits of the purse are kept."""
    left = task.purse.seconds_left
    try:
        async with asyncio.timeout(None if left is None else left + GRACE_S):
            return await track.try_change(task)
    except Stopped:
        raise
    except BudgetExceeded as error:
        return _result(track.name, TrackOutcome.SPENT, f"{error.message}. Nothing was changed.")
    except TimeoutError:
        return _result(track.name, TrackOutcome.SPENT, "the time was up. Nothing was changed.")
    except HammerstoneError as error:
        return _result(track.name, TrackOutcome.BROKEN, f"it could not go on: {error.message}")
    except Exception as error:
        told = f"it broke: {type(error).__name__}: {error}"
        return _result(track.name, TrackOutcome.BROKEN, told[:300])


def _result(name: TrackName, outcome: TrackOutcome, *account: str) -> TrackResult:
    return TrackResult(name, outcome, account)


def _left(purse: TrackPurse) -> str:
    """What may still be spent, and for how many cases that is about enough."""
    left, cases = purse.left, purse.cases_left()
    parts = [
        "" if left.seconds is None else f"{left.seconds:,.0f} s",
        "" if left.tokens is None else f"{left.tokens:,} tokens",
    ]
    told = " and ".join(filter(None, parts))
    reach = "" if math.isinf(cases) else f", enough for about {cases:,.0f} cases"
    return f"; {told} are left{reach}" if told else ""


def cost_json(cost: TrackCost) -> JsonObject:
    return {**asdict(cost), "seconds": round(cost.seconds, 2), "usd": round(cost.usd, 6)}
