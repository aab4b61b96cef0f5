"""Ripe patterns become composites, through the gate; composites whose parts changed step back."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Effect, Version
from hammerstone.learn.composites.bindings import Instance, load
from hammerstone.learn.composites.build import CompositeAttempt, Recipe, build
from hammerstone.learn.ledger.changes import version_change
from hammerstone.learn.mining.patterns import PatternBook
from hammerstone.learn.policies import MiningPolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import IN_FORCE, Proposal, ProposalKind, ProposalState
from hammerstone.library.tools.registry import HIDDEN, Registry
from hammerstone.library.workflows import Workflow
from hammerstone.storage import Database
from hammerstone.storage.stores.library.patterns import PatternRow
from hammerstone.storage.stores.library.workflows import WorkflowRow
from hammerstone.tracing import span

MAX_REQUESTS = 20


class PatternOutcome(StrEnum):
    """What became of a pattern that the gate did not make wait."""

    BUILT = "built"
    WOULD_BE_BUILT = "would be built"
    KNOWN = "known"
    REFUSED = "refused"
    SWITCHED_OFF = "was switched off"
    WOULD_BE_OFF = "would be switched off"


_STANDS = (PatternOutcome.BUILT, PatternOutcome.WOULD_BE_BUILT, PatternOutcome.KNOWN)


@dataclass(frozen=True, slots=True)
class PatternResult:
    """What came of one ripe pattern."""

    steps: tuple[str, ...]
    outcome: PatternOutcome | ProposalState
    reason: str
    tool: str = ""
    proposal: str = ""

    def to_json(self) -> JsonObject:
        return {**asdict(self), "steps": list(self.steps)}


class CompositeBuilder:
    def __init__(
        self,
        db: Database,
        registry: Registry,
        gate: ChangeGate,
        sandbox: Sandbox,
        policy: MiningPolicy,
    ) -> None:
        self._db = db
        self._registry = registry
        self._gate = gate
        self._sandbox = sandbox
        self._policy = policy

    async def run(self, *, dry_run: bool = False) -> list[PatternResult]:
        """Every ripe pattern tried, longest first.

        A part of one that was built is left alone unless people also run it by itself.
        """
        book = PatternBook(self._db, self._policy)
        tried: list[PatternResult] = []
        built: list[tuple[str, ...]] = []
        known = await self._in_force()
        often = await book.ripe()  # the most frequent first
        fresh = [row for row in often if _title(row.steps) not in known]
        chosen = [row for row in often if _title(row.steps) in known]
        chosen += fresh[: self._policy.per_round]
        for row in sorted(chosen, key=lambda row: (-len(row.steps), -row.frequency)):
            if _title(row.steps) in known:
                built.append(row.steps)
                continue
            by_itself = row.whole >= self._policy.frequency
            if not by_itself and any(_inside(row.steps, longer) for longer in built):
                continue
            with span("compose " + " > ".join(row.steps), kind="step"):
                outcome = await self._one(row, dry_run)
            tried.append(outcome)
            if outcome.outcome in _STANDS:
                built.append(row.steps)
        return tried

    async def _in_force(self) -> set[str]:
        rows = await self._db.proposals.list(
            kind=ProposalKind.COMPOSITE, statuses=IN_FORCE, limit=10_000
        )
        return {row.title for row in rows}

    async def _one(self, row: PatternRow, dry_run: bool) -> PatternResult:
        parts = await self._parts(row.steps)
        if isinstance(parts, str):
            return PatternResult(row.steps, PatternOutcome.REFUSED, parts)
        instances = await load(self._db, row, self._policy.examples)
        alone = not await self._db.sessions.several_people()
        recipe = Recipe(row.frequency, row.success, parts, alone)
        composed = await build(instances, recipe, self._sandbox)
        if composed.workflow is None or composed.new is None:
            return PatternResult(row.steps, PatternOutcome.REFUSED, composed.problem)
        if composed.workflow.confidence < self._policy.confidence:
            return PatternResult(
                row.steps,
                PatternOutcome.REFUSED,
                "it is not clear enough where each value comes from",
            )
        least = self._policy.min_saved_s
        if composed.evidence.saved_s < least:
            return PatternResult(
                row.steps, PatternOutcome.REFUSED, f"each use would save less than {least:g} s"
            )
        if dry_run:
            return PatternResult(
                row.steps, PatternOutcome.WOULD_BE_BUILT, "", composed.workflow.name
            )
        return await self._propose(row, composed, instances)

    async def _propose(
        self, row: PatternRow, composed: CompositeAttempt, instances: list[Instance]
    ) -> PatternResult:
        new, workflow = composed.new, composed.workflow
        assert new is not None
        assert workflow is not None
        await self._remember(workflow, instances)
        proposal = Proposal(
            kind=ProposalKind.COMPOSITE,
            target=workflow.name,
            title=_title(row.steps),
            change=version_change(new, new_tool=True),
            evidence=composed.evidence,
            sessions={one.session_id: one.run_id for one in instances},
            rests_on=tuple(await self._below(row.steps)),
            value={
                "saved_calls": composed.evidence.saved_calls,
                "saved_s": composed.evidence.saved_s,
                "cost_s": 0.0,
            },
        )
        before = await self._db.proposals.find(proposal.id)
        decided = await self._gate.propose(proposal)
        if before is not None:
            outcome = PatternOutcome.KNOWN if decided.in_force else PatternOutcome.REFUSED
        else:
            outcome = PatternOutcome.BUILT if decided.in_force else decided.standing
        return PatternResult(row.steps, outcome, decided.reason, workflow.name, decided.id)

    async def _parts(self, tools: tuple[str, ...]) -> dict[str, Version] | str:
        found: dict[str, Version] = {}
        for name in tools:
            tool = await self._registry.find(name)
            if tool is None or tool.status in HIDDEN:
                return f"{name} is not in use"
            if "composite" in tool.version.provenance:
                return f"{name} is a composite itself"
            if tool.version.spec.effect is Effect.WRITES:
                return f"{name} writes: each time needs its own leave"
            found[name] = tool.version
        return found

    async def _below(self, tools: tuple[str, ...]) -> list[str]:
        """Changes in force of the parts: the composite holds their code."""
        found: list[str] = []
        for name in tools:
            rows = await self._db.proposals.list(target=name, statuses=IN_FORCE, limit=1)
            found += [row.id for row in rows]
        return found

    async def _remember(self, workflow: Workflow, instances: list[Instance]) -> None:
        """Keep the workflow with the words it was asked for in; the gate puts it to use."""
        requests: list[str] = []
        for run in dict.fromkeys(instance.run_id for instance in instances):
            row = await self._db.runs.find(run)
            if row is not None:
                requests.append(row.request[:300])
        await self._db.workflows.put(
            WorkflowRow(
                id=workflow.id,
                name=workflow.name,
                document=workflow.to_json(),
                requests=requests[:MAX_REQUESTS],
                first_tool=workflow.tools[0],
                active=False,
                at=self._db.access.clock.now(),
            )
        )

    async def step_back(self, *, dry_run: bool = False) -> list[PatternResult]:
        """Undo composites of which a part has changed or is gone: the parts are used again.

        Recorded runs with the new parts make a new composite by and by.
        """
        done: list[PatternResult] = []
        rows = await self._db.proposals.list(
            kind=ProposalKind.COMPOSITE, statuses=IN_FORCE, limit=10_000
        )
        for row in rows:
            tool = await self._registry.find(str((row.reverse or {}).get("tool", row.target)))
            if tool is None or tool.status in HIDDEN:
                continue
            why = await self._stale(tool.version)
            if not why:
                continue
            steps = _tools_of(tool.version)
            if not dry_run:
                await self._gate.undo(
                    row.id, who="learning", why=why, cascade=True, to=ProposalState.ROLLED_BACK
                )
            outcome = PatternOutcome.WOULD_BE_OFF if dry_run else PatternOutcome.SWITCHED_OFF
            done.append(PatternResult(steps, outcome, why, tool.name, row.id))
        return done

    async def _stale(self, composite: Version) -> str:
        parts = composite.provenance.get("parts")
        for name, version in parts.items() if isinstance(parts, dict) else ():
            part = await self._registry.find(name)
            if part is None or part.status in HIDDEN:
                return f"its part {name} is not in use any more"
            if part.version.id != version:
                return f"its part {name} has a new version"
        return ""


def _title(steps: tuple[str, ...]) -> str:
    return f"{' > '.join(steps)} as one tool"


def _inside(steps: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    width = len(steps)
    return any(longer[n : n + width] == steps for n in range(len(longer) - width + 1))


def _tools_of(version: Version) -> tuple[str, ...]:
    document = version.provenance.get("composite")
    return Workflow.from_json(document).tools if document else ()
