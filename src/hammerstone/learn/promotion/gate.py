"""The gate: the one place that promotes a change of any kind, and that takes one back."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from hammerstone.core.changes import AUTOMATIC, TOOL_KINDS, kinds_beside
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.guard.maturity import Action, ActionKind, MaturityPolicy, decide, level_in_force
from hammerstone.guard.maturity import ActionContext as Maturity
from hammerstone.guard.maturity import MaturityRuling as Leave
from hammerstone.learn.policies import GatePolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.proposals import (
    IN_FORCE,
    OPEN,
    Applier,
    Proposal,
    ProposalKind,
    ProposalState,
    UndoReason,
)
from hammerstone.learn.promotion.verdict import GateFinding, GateRuling, rule
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow
from hammerstone.tracing import span

BROKEN_OFF_S = 600.0  # after which a change in the making was broken off by a crash
# What a person's yes does not outweigh.
_AGAINST = (GateFinding.BREAKS, GateFinding.WORSE, GateFinding.DIFFERENT)


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What the gate did with a proposal, and why."""

    id: str
    standing: ProposalState
    reason: str

    @property
    def in_force(self) -> bool:
        return self.standing in IN_FORCE


class ChangeGate:
    def __init__(
        self, db: Database, policies: Policies, appliers: Mapping[str, Applier], clock: Clock
    ) -> None:
        self._db = db
        self._policies = policies
        self._appliers = appliers
        self._clock = clock

    async def propose(self, proposal: Proposal, *, who: str = "learning") -> GateDecision:
        """Decide about a change: promoted, left for a person, or refused with the reason.

        A proposal that was decided before is not decided again: the same evidence says the same.
        """
        with span(f"gate {proposal.kind}", kind="step", input=proposal.title) as traced:
            row = await self._keep(proposal)
            if row.status not in OPEN:
                return GateDecision(row.id, ProposalState(row.status), "decided before")
            ruling = rule(proposal.evidence, self._policies.get(GatePolicy))
            decided = await self._decide(row, proposal, ruling, who)
            traced.output = f"{decided.standing}: {decided.reason}"
            return decided

    async def _decide(
        self, row: ProposalRow, proposal: Proposal, ruling: GateRuling, who: str
    ) -> GateDecision:
        decision: JsonObject = {
            "finding": ruling.finding,
            "reason": ruling.reason,
            "numbers": ruling.numbers,
        }
        if not ruling.promotes:
            return await self._end(row, ProposalState.REFUSED, decision, who)
        asks = self._asks(proposal)
        if asks:
            decision["waits"] = asks
            return await self._end(row, ProposalState.WAITING, decision, who)
        return await self._promote(row, decision, who)

    def _asks(self, proposal: Proposal) -> str:
        """Why a person has to say yes first; empty when nobody has to.

        To think less of a tool than before is allowed at every level.
        """
        policy, kind = self._policies.get(GatePolicy), proposal.kind
        wanted = {
            ProposalKind.PROMPT: policy.ask_for_prompts,
            ProposalKind.POLICY: policy.ask_for_policies,
            ProposalKind.RETIREMENT: policy.ask_for_retirement,
        }
        if wanted.get(kind, False):
            return f"the policy wants a person to look at every {kind}"
        if proposal.change.get("lowers") is True:
            return ""
        maturity = self._policies.get(MaturityPolicy)
        standing = Maturity(level_in_force(maturity), maturity)
        leave = decide(Action(ActionKind.IMPROVE, proposal.title, reversible=True), standing)
        return "" if leave.ruling is Leave.ALLOW else leave.why

    async def ask(self, proposal: Proposal, *, why: str) -> GateDecision:
        """Leave a change to a person: nothing about it can be measured here."""
        row = await self._keep(proposal)
        if row.status not in OPEN:
            return GateDecision(row.id, ProposalState(row.status), "decided before")
        decision: JsonObject = {"finding": GateFinding.ASKED, "reason": why, "waits": why}
        return await self._end(row, ProposalState.WAITING, decision, "learning")

    async def approve(self, id: str, *, who: str) -> GateDecision:
        """A person says yes to what waits; evidence against it still counts."""
        row = await self._db.proposals.get(id)
        if row.status not in OPEN:
            raise BadRequest(f"proposal {id} is {row.status}: there is nothing to approve")
        ruling = rule(ProposalEvidence.from_json(row.evidence), self._policies.get(GatePolicy))
        decision: JsonObject = {"finding": ruling.finding, "reason": ruling.reason, "by": who}
        if ruling.finding in _AGAINST:
            return await self._end(row, ProposalState.REFUSED, decision, who)
        return await self._promote(row, decision, who)

    async def refuse(self, id: str, *, who: str, why: str = "a person refused it") -> GateDecision:
        row = await self._db.proposals.get(id)
        if row.status not in OPEN:
            raise BadRequest(f"proposal {id} is {row.status}: there is nothing to refuse")
        return await self._end(
            row, ProposalState.REFUSED, {"finding": GateFinding.REFUSED, "reason": why}, who
        )

    async def preview(self, id: str) -> str:
        """What a proposal would change, or has changed, for a person."""
        row = await self._db.proposals.get(id)
        if row.status in OPEN and row.change:
            return await self._applier(row.kind).preview(row.target, row.change)
        before, after = (str((row.reverse or {}).get(name) or "") for name in ("before", "after"))
        if row.kind not in TOOL_KINDS or not after or before == after:
            return row.title
        code = {
            id: (await self._db.tools.get_version(id)).code if id else "" for id in (before, after)
        }
        return difference(code[before], code[after], (f"{row.target} before", "after"))

    async def _promote(self, row: ProposalRow, decision: JsonObject, who: str) -> GateDecision:
        """Do the change. Whoever comes second finds it taken and changes nothing."""
        claim = self._audit(row.id, "promoting", who, str(decision["reason"]))
        if not await self._db.proposals.change(
            row.id, claim, expected=OPEN, status=ProposalState.PROMOTING
        ):
            return GateDecision(row.id, ProposalState.PROMOTING, "somebody else is doing it")
        why: JsonObject = {**decision, "proposal": row.id, "who": who}
        await self._db.proposals.link(row.id, await self._on_same_target(row))
        try:
            reverse = await self._applier(row.kind).apply(row.target, row.change, why)
        except BaseException:
            back = self._audit(row.id, "failed", who, "the change could not be made")
            await self._db.proposals.change(row.id, back, status=ProposalState.PROPOSED)
            raise
        if not reverse:
            return await self._unwanted(row, who)
        watched = bool(row.value.get("probation"))
        standing = ProposalState.PROBATION if watched else ProposalState.PROMOTED
        done = self._audit(
            row.id, str(standing), who, str(decision["reason"]), reverse.get("before"), row.change
        )
        await self._db.proposals.change(
            row.id, done, status=standing, decision=decision, reverse=reverse
        )
        return GateDecision(row.id, standing, str(decision["reason"]))

    async def _unwanted(self, row: ProposalRow, who: str) -> GateDecision:
        """A change that was not made, because a person has decided otherwise."""
        reason = f"a person has taken {row.target} out of use"
        decision: JsonObject = {"finding": GateFinding.UNWANTED, "reason": reason}
        audit = self._audit(row.id, str(ProposalState.REFUSED), who, reason)
        await self._db.proposals.change(
            row.id, audit, status=ProposalState.REFUSED, decision=decision
        )
        return GateDecision(row.id, ProposalState.REFUSED, reason)

    async def recover(self) -> list[str]:
        """Changes that a process began to make and never ended are proposals again.

        Making a change twice is making it once, so whoever proposes it next goes on with it.
        """
        oldest = self._clock.now() - timedelta(seconds=BROKEN_OFF_S)
        done: list[str] = []
        for row in await self._db.proposals.list(statuses=[ProposalState.PROMOTING]):
            if row.changed_at > oldest:
                continue
            audit = self._audit(row.id, "not finished", "gate", "the process stopped in the middle")
            if await self._db.proposals.change(
                row.id, audit, expected=[ProposalState.PROMOTING], status=ProposalState.PROPOSED
            ):
                done.append(row.id)
        return done

    async def settle(self, id: str, *, why: str) -> None:
        """End a probation that went well."""
        row = await self._db.proposals.get(id)
        done = self._audit(row.id, "settled", "gate", why)
        await self._db.proposals.change(
            id, done, expected=[ProposalState.PROBATION], status=ProposalState.PROMOTED
        )

    async def standing_on(self, id: str) -> list[ProposalRow]:
        """Changes in force that build on this one, those to be undone first at the front."""
        ordered: list[ProposalRow] = []
        seen: set[str] = set()

        async def walk(one: str) -> None:
            for dependent in await self._db.proposals.dependents(one):
                if dependent in seen:
                    continue
                seen.add(dependent)
                await walk(dependent)
                row = await self._db.proposals.find(dependent)
                if row is not None and row.status in IN_FORCE:
                    ordered.append(row)

        await walk(id)
        return ordered

    async def undo(
        self,
        id: str,
        *,
        who: str,
        why: str = "",
        cascade: bool = False,
        to: ProposalState | None = None,
    ) -> list[str]:
        """Take a change back; what was done, in order.

        When others in force build on it, they are undone first, with `cascade`; without it
        nothing happens and `BadRequest` lists them. What a person decided since is only taken
        back by a person: for anybody else the change then stays.
        """
        row = await self._db.proposals.get(id)
        if row.status not in IN_FORCE:
            raise BadRequest(f"{id} is {row.status}: there is nothing to undo")
        above = await self.standing_on(id)
        if above and not cascade:
            names = ", ".join(f"{other.id} ({other.title})" for other in above)
            raise BadRequest(
                f"other changes build on {id}: {names}",
                hint=f"hammerstone undo {id} --with-dependents undoes them first, in this order",
                dependents=[other.id for other in above],
            )
        decided = [other for other in above if _by_person(other)]
        if decided and who in AUTOMATIC:
            await self.settle(id, why=f"a person has decided about {row.target} since")
            return [f"{id}: stays, because of {decided[0].id} ({decided[0].title})"]
        done = [await self._take_back(other, who, f"it built on {id}") for other in above]
        return [*done, await self._take_back(row, who, why, to or ProposalState.UNDONE)]

    async def _take_back(
        self, row: ProposalRow, who: str, why: str, to: ProposalState = ProposalState.UNDONE
    ) -> str:
        reason = UndoReason(who, why)
        text = await self._applier(row.kind).reverse(row.target, row.reverse or {}, reason)
        audit = self._audit(row.id, str(to), who, why or "asked for", row.change, row.reverse)
        await self._db.proposals.change(row.id, audit, expected=IN_FORCE, status=to)
        return f"{row.id}: {text}"

    async def _keep(self, proposal: Proposal) -> ProposalRow:
        now = self._clock.now()
        row = ProposalRow(
            id=proposal.id,
            kind=proposal.kind,
            target=proposal.target,
            title=proposal.title,
            status=ProposalState.PROPOSED,
            change=proposal.change,
            evidence=proposal.evidence.to_json(),
            created_at=now,
            changed_at=now,
            value={**proposal.value, "probation": proposal.probation},
        )
        return await self._db.proposals.add(
            row, rests_on=proposal.rests_on, sessions=proposal.sessions
        )

    async def _on_same_target(self, row: ProposalRow) -> list[str]:
        """The changes in force of the same target: one that is made now stands on them."""
        rows = await self._db.proposals.list(
            kinds=kinds_beside(row.kind), target=row.target, statuses=IN_FORCE, limit=10_000
        )
        return [other.id for other in rows]

    async def _end(
        self, row: ProposalRow, standing: ProposalState, decision: JsonObject, who: str
    ) -> GateDecision:
        reason = str(decision.get("waits") or decision["reason"])
        audit = self._audit(row.id, str(standing), who, reason)
        await self._db.proposals.change(
            row.id, audit, expected=OPEN, status=standing, decision=decision
        )
        return GateDecision(row.id, standing, reason)

    def _applier(self, kind: str) -> Applier:
        applier = self._appliers.get(kind)
        if applier is None:
            known = ", ".join(sorted(self._appliers))
            raise BadRequest(f"nothing here can make a change of kind {kind}", hint=known)
        return applier

    def _audit(
        self,
        id: str,
        what: str,
        who: str,
        reason: str,
        before: Json = None,
        after: Json = None,
    ) -> AuditRow:
        return AuditRow(id, what, who, reason, before, after, self._clock.now())


def _by_person(row: ProposalRow) -> bool:
    by = (row.decision or {}).get("by")
    return bool(by) and by not in AUTOMATIC


def difference(before: str, after: str, names: Sequence[str] = ("before", "after")) -> str:
    """Two texts as a person compares them."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), names[0], names[1], lineterm=""
    )
    return "\n".join(lines)
