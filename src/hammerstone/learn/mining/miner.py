"""Counts what tools follow each other, in step with what happens."""

import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from hammerstone.core.clock import Clock
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.mining.sequences import Occurrence, flows, foreign_runs, occurrences
from hammerstone.learn.policies import MiningPolicy
from hammerstone.library.graph.edges import Transition
from hammerstone.storage import Database
from hammerstone.storage.stores.library.patterns import (
    FinishedRun,
    LoggedCall,
    PatternLimits,
    PatternTally,
    SessionTally,
)
from hammerstone.storage.stores.queue.leases import Lease
from hammerstone.tracing import span

JOB = "mining"
BATCH_RUNS = 4000
LEASE_S = 300.0
HOPS = 4  # earlier runs of a session that a chain may reach back through

Observe = Callable[[Sequence[Transition]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class MiningReport:
    """`busy`: somebody else was mining, so nothing was done here."""

    runs: int = 0
    executions: int = 0
    patterns: int = 0
    transitions: int = 0
    seconds: float = 0.0
    busy: bool = False

    def to_json(self) -> JsonObject:
        return asdict(self)


class Miner:
    """The reader of runs that ended since the last time; it adds them to the patterns.

    The work grows with the new runs alone. One miner works at a time: a lease is held, and a
    batch counts together with the mark that says it was counted, so a crash or a second miner
    neither loses nor doubles anything.
    """

    def __init__(
        self, db: Database, policy: MiningPolicy, clock: Clock, observe: Observe | None = None
    ) -> None:
        self._db = db
        self._policy = policy
        self._clock = clock
        self._observe = observe
        self._holder = uuid.uuid4().hex

    async def run(self) -> MiningReport:
        began = time.perf_counter()
        lease = await self._db.leases.take(JOB, self._holder, LEASE_S)
        if lease is None:
            return MiningReport(busy=True)
        totals = [0, 0, 0, 0]
        try:
            with span("mine patterns", kind="step") as traced:
                mark = _mark(lease.mark)
                while True:
                    done = await self._batch(lease, mark)
                    if done is None:
                        break
                    mark, counts = done
                    totals = [a + b for a, b in zip(totals, counts, strict=True)]
                    again = await self._db.leases.take(JOB, self._holder, LEASE_S)
                    if again is None:
                        break
                traced.set("runs", totals[0])
        finally:
            await self._db.leases.give_back(lease)
        return MiningReport(*totals, seconds=time.perf_counter() - began)

    async def _batch(
        self, lease: Lease, mark: tuple[datetime, str] | None
    ) -> tuple[tuple[datetime, str], list[int]] | None:
        """Count the next runs; the new mark and what was counted, or None when there is nothing."""
        before = self._clock.now() - timedelta(seconds=self._policy.settle_s)
        runs = await self._db.patterns.finished_runs(mark, before, BATCH_RUNS)
        if not runs:
            return None
        calls = await self._db.patterns.calls_of([run.id for run in runs])
        earlier = await self._earlier(calls)
        tallies: dict[str, PatternTally] = {}
        transitions: list[Transition] = []
        for run in runs:
            own = calls.get(run.id, [])
            if not own:
                continue
            chain = _before(own, earlier)
            for found in occurrences(
                own,
                chain,
                longest=self._policy.longest,
                longest_whole=self._policy.longest_whole,
            ):
                self._count(tallies, run, found)
            transitions += transitions_of(run, own, chain)
        last = (runs[-1].finished_at, runs[-1].id)
        caps = PatternLimits(self._policy.per_session, self._policy.per_session)
        told: Json = [last[0].isoformat(), last[1]]
        if not await self._db.patterns.add(tallies, caps, lease, told):
            return None
        if self._observe is not None and transitions:
            await self._observe(transitions)
        executions = sum(len(each) for each in calls.values())
        return last, [len(runs), executions, len(tallies), len(transitions)]

    async def _earlier(
        self, calls: Mapping[str, Sequence[LoggedCall]]
    ) -> dict[str, list[LoggedCall]]:
        """The calls of runs that these lead back to, a few hops far."""
        known: dict[str, list[LoggedCall]] = {run: list(each) for run, each in calls.items()}
        wanted = {run for each in calls.values() for run in foreign_runs(each)}
        for _ in range(HOPS):
            missing = sorted(wanted - known.keys())
            if not missing:
                break
            fetched = await self._db.patterns.calls_of(missing)
            known |= {run: fetched.get(run, []) for run in missing}
            wanted = {run for each in fetched.values() for run in foreign_runs(each)}
        return known

    def _count(self, tallies: dict[str, PatternTally], run: FinishedRun, found: Occurrence) -> None:
        key = pattern_id(found.tools)
        tally = tallies.get(key)
        if tally is None:
            tally = PatternTally(found.tools, run.finished_at, run.finished_at)
            tallies[key] = tally
        tally.last_at = run.finished_at
        tally.seen += 1
        tally.whole += found.whole
        tally.flowing += found.flowing
        tally.seconds += found.seconds
        session = tally.sessions.setdefault(run.session_id, SessionTally())
        session.seen += 1
        session.successes += found.ok
        if len(session.runs) < self._policy.per_session and found.ok:
            session.runs.append(found.place)


def pattern_id(tools: Sequence[str]) -> str:
    return digest(*tools)[:20]


def transitions_of(
    run: FinishedRun, own: Sequence[LoggedCall], before: Sequence[LoggedCall]
) -> list[Transition]:
    """What the run teaches the skill graph: which result became which argument, and the order."""
    known = {(call.run_id, call.number): call for call in (*before, *own)}
    found: list[Transition] = []
    previous: LoggedCall | None = None
    for call in own:
        linked = False
        for name, source_run, given in flows(call):
            source = known.get((source_run, given.step))
            if source is None or source is call:
                continue
            linked = True
            found.append(_transition(run, source, call, name, tuple(map(str, given.path))))
        if previous is not None and not linked:
            found.append(_transition(run, previous, call, "", ()))
        previous = call
    return found


def _transition(
    run: FinishedRun, source: LoggedCall, target: LoggedCall, name: str, path: tuple[str, ...]
) -> Transition:
    return Transition(
        id=digest(run.id, str(source.number), source.run_id, str(target.number), name)[:24],
        source=source.tool,
        target=target.tool,
        ok=target.ok,
        seconds=target.seconds,
        at=run.finished_at,
        path=path,
        parameter=name,
        tenant=run.user,
    )


def _before(
    own: Sequence[LoggedCall], earlier: Mapping[str, Sequence[LoggedCall]]
) -> list[LoggedCall]:
    """The calls of earlier runs that these use, oldest run first."""
    order: list[str] = []
    stack = foreign_runs(own)
    while stack and len(order) < HOPS:
        run = stack.pop(0)
        if run not in order and run != own[0].run_id:
            order.insert(0, run)
            stack += foreign_runs(earlier.get(run, []))
    return [call for run in order for call in earlier.get(run, [])]


def _mark(stored: Json) -> tuple[datetime, str] | None:
    if isinstance(stored, list) and len(stored) == 2:
        return datetime.fromisoformat(str(stored[0])), str(stored[1])
    return None
