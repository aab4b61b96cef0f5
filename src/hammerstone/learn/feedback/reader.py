"""Reads what runs and people append about answers, judges it, and lets search and standing follow.

Nothing else turns use into lessons: a run only appends events.
"""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.clock import Clock
from hammerstone.core.feedback import (
    AGAINST_THE_PICK,
    Feedback,
    FeedbackKind,
    JudgedUse,
    UseVerdict,
)
from hammerstone.learn.feedback.implicit_feedback import implied
from hammerstone.learn.promotion.proposals import ProposalKind, ProposalState
from hammerstone.library.policies import Policies
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.library.tools.registry import Registry
from hammerstone.library.tools.upkeep.lifecycle import Lifecycle
from hammerstone.storage import Database

_EVENTS_A_RUN = 10  # read for each run that is looked back at
_PICKED = frozenset({FeedbackKind.CHOSEN, FeedbackKind.CONFIRMED})


class FeedbackReader:
    """Fills the seam `Listener`."""

    def __init__(
        self,
        db: Database,
        registry: Registry,
        search: ToolSearch,
        lifecycle: Lifecycle,
        policies: Policies,
        clock: Clock,
    ) -> None:
        self._db = db
        self._registry = registry
        self._search = search
        self._lifecycle = lifecycle
        self._policies = policies
        self._clock = clock

    async def heard(self, user: str, run_id: str) -> None:
        policy = self._policies.get(FeedbackPolicy)
        if not policy.enabled:
            return
        run = await self._db.feedback.of_run(run_id)
        for tool in {event.tool for event in run if event.kind is FeedbackKind.FAILED}:
            await self._stand(tool, ok=False)
        implied = await self._implied(user, run_id, run, policy)
        await self._judge_run(run, policy)
        for id in dict.fromkeys(event.run_id for event in implied):
            await self.judge(id)

    async def judge(self, run_id: str) -> None:
        """Judge anew what a run's tools did, and do what follows where that has changed."""
        policy = self._policies.get(FeedbackPolicy)
        if policy.enabled:
            await self._judge_run(await self._db.feedback.of_run(run_id), policy)

    async def _judge_run(self, events: Sequence[Feedback], policy: FeedbackPolicy) -> None:
        whole = [event for event in events if not event.tool]
        for tool in dict.fromkeys(event.tool for event in events if event.tool):
            own = [event for event in events if event.tool == tool]
            await self._judge(own + whole, policy)

    async def _implied(
        self, user: str, run_id: str, run: Sequence[Feedback], policy: FeedbackPolicy
    ) -> list[Feedback]:
        recent = await self._db.feedback.recent(user, policy.looks_back * _EVENTS_A_RUN)
        earlier = [event for event in recent if event.run_id != run_id]
        if not earlier or not run:
            return []
        calls = await self._db.executions.of_run(run_id)
        found = implied(earlier, run, calls, policy, self._clock.now())
        await self._db.feedback.append(found)
        return found

    async def _judge(self, events: list[Feedback], policy: FeedbackPolicy) -> None:
        first = events[0]
        version = next((event.version_id for event in events if event.version_id), "")
        if not version:
            known = await self._registry.find(first.tool)
            version = known.version.id if known else ""
        verdict, ground = policy.decided(events)
        use = JudgedUse(
            run_id=first.run_id,
            session_id=first.session_id,
            user=first.user,
            tool=first.tool,
            version_id=version,
            verdict=verdict,
            at=self._clock.now(),
            kind=str(ground.kind) if ground else "",
            reliability=ground.reliability if ground else None,
        )
        before = await self._db.feedback.judge(use)
        if before is None:
            return
        if before is verdict is not UseVerdict.NEUTRAL:  # the same for a better reason
            await self._stand(use.tool, ok=verdict is not UseVerdict.WRONG, version=version)
            return
        if first.request:
            await self._teach(events, verdict)
        if verdict is not UseVerdict.NEUTRAL:
            await self._stand(use.tool, ok=verdict is UseVerdict.GOOD, version=version)

    async def _teach(self, events: Sequence[Feedback], verdict: UseVerdict) -> None:
        """Search learns the pairing of words and tool as it is judged now, and nothing else.

        A stated value speaks against the code, not against having picked the tool.
        """
        first, kinds = events[0], {event.kind for event in events}
        good = PastOutcome.CHOSEN if kinds & _PICKED else PastOutcome.ANSWERED
        lesson = {UseVerdict.GOOD: good, UseVerdict.WRONG: PastOutcome.WRONG}.get(verdict)
        if verdict is UseVerdict.WRONG and not kinds & AGAINST_THE_PICK:
            lesson = None
        where = (first.request, first.tool)
        others = [other for other in PastOutcome if other is not lesson]
        await self._search.unlearn(*where, others, first.user)
        if lesson is not None and await self._registry.find(first.tool) is not None:
            await self._search.learn(*where, lesson, first.user)

    async def _stand(self, name: str, *, ok: bool, version: str = "") -> None:
        tool = await self._registry.find(name)
        if tool is not None and version in ("", tool.version.id):
            # As it was before this use, which is counted already.
            await self._lifecycle.after_use(replace(tool, uses=tool.uses - 1), ok=ok)


_OF_TOOLS = (ProposalKind.REPAIR, ProposalKind.COMPOSITE)


async def note_undone(db: Database, reader: FeedbackReader, policy: FeedbackPolicy) -> int:
    """Append an event for each change of a tool that was undone and not noted yet; how many."""
    noted = 0
    for row in await db.proposals.list(statuses=[ProposalState.UNDONE]):
        version = row.reverse.get("after") if row.reverse else None
        run = f"undo {row.id}"
        if row.kind not in _OF_TOOLS or not version or await db.feedback.of_run(run):
            continue
        last = (await db.proposals.audits(row.id))[-1]
        event = Feedback(
            kind=FeedbackKind.UNDONE,
            run_id=run,
            session_id="",
            user=last.who,
            at=last.at,
            tool=row.target,
            version_id=str(version),
            reliability=policy.worth(FeedbackKind.UNDONE),
        )
        await db.feedback.append([event])
        await reader.judge(run)
        noted += 1
    return noted
