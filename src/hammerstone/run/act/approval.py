"""The one door for everything that may need a person's permission, and for questions to them."""

import asyncio
import uuid
from collections.abc import Awaitable, Coroutine
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from hammerstone.core.answers import EventKind
from hammerstone.core.approvals import (
    QUESTION,
    Approval,
    ApprovalScope,
    ApprovalStatus,
    PendingQuestion,
    Question,
    QuestionReply,
)
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.guard.action_words import approval_text
from hammerstone.guard.approvals import ApprovalPolicy
from hammerstone.guard.maturity import (
    Action,
    ActionContext,
    MaturityDecision,
    MaturityPolicy,
    MaturityRuling,
    Permission,
    decide,
    iterations,
    level_in_force,
)
from hammerstone.library.policies import Policies
from hammerstone.run.context import Run
from hammerstone.run.services import Guards, Records
from hammerstone.tracing import span
from hammerstone.tracing.warn import warn


class PermissionRequests:
    """The permission of actions: everything that may have an effect is asked for here."""

    def __init__(self, guards: Guards, records: Records) -> None:
        self._guards = guards
        self._records = records
        self._asking = _ApprovalRows(guards.policies, records)

    async def request_permission(self, run: Run, action: Action) -> Permission:
        """Whether the action may happen. Every call passes here; an ordinary one costs nothing.

        What needs leave is asked of the person. With nobody there to ask, the question is stored
        and this run is refused; once the person has said yes, the same action of theirs may happen
        once. Raises `Stopped` when the run was stopped.
        """
        await self._guards.stop.check(run.id, run.request.session_id)
        decision = decide(action, self._standing(run))
        if decision.ruling is MaturityRuling.ALLOW:
            return Permission(True)
        with span(f"permission for {action.tool}", kind="step", input=_shown(action)) as traced:
            traced.set("hammerstone.guard.rule", decision.rule)
            traced.set("hammerstone.guard.why", decision.why)
            if decision.ruling is MaturityRuling.REFUSE:
                answer = Permission(False, decision.why)
            else:
                answer = await self._asked(run, action, decision)
            traced.set("hammerstone.guard.given", answer.given)
            traced.output = {"given": answer.given, "reason": answer.reason}
        if not answer.given:
            await run.say(
                EventKind.REFUSED,
                f"{action.tool}: {answer.reason}",
                tool=action.tool,
                rule=decision.rule,
                approval=answer.approval_id,
            )
        return answer

    def is_refused(self, run: Run, action: Action) -> bool:
        """Whether nobody's leave would help: the run's maturity rules the action out."""
        return decide(action, self._standing(run)).ruling is MaturityRuling.REFUSE

    def is_allowed(self, run: Run, action: Action) -> bool:
        """Whether the action may happen without anybody's leave."""
        return decide(action, self._standing(run)).ruling is MaturityRuling.ALLOW

    def rounds_of(self, run: Run) -> int:
        """How often this run may plan and act, by its maturity."""
        standing = self._standing(run)
        return iterations(standing.level, standing.policy)

    def _standing(self, run: Run) -> ActionContext:
        policy, request = self._guards.policies.get(MaturityPolicy), run.request
        level = level_in_force(policy, skill=request.skill_level, task=request.level)
        return ActionContext(level, policy, run.given_tool, request.tools)

    async def _asked(self, run: Run, action: Action, decision: MaturityDecision) -> Permission:
        records, request = self._records, run.request
        for kept in await records.db.approvals.standing(request.session_id, request.user):
            about = kept.action or {}
            if (about.get("tool"), about.get("version")) == (action.tool, action.version):
                return Permission(True, "allowed for this session", kept.id)
        fingerprint = _fingerprint(action)
        hold = run.ledger.hold
        place = hold.journal.begin(f"permission {fingerprint}") if hold is not None else None
        if hold is not None and place and (known := hold.journal.find(place)) is not None:
            return Permission(**known)
        answer = await self._decided(run, action, decision, fingerprint)
        hold = run.ledger.hold
        if hold is not None:
            place = place or hold.journal.begin(f"permission {fingerprint}")
            await hold.journal.keep(place, dict[str, Json](asdict(answer)), None)
        return answer

    async def _decided(
        self, run: Run, action: Action, decision: MaturityDecision, fingerprint: str
    ) -> Permission:
        records, request = self._records, run.request
        used = await records.db.approvals.use(fingerprint, request.user, records.clock.now())
        if used is not None:
            return Permission(True, _decided_by(used, request.user), used.id)
        asked = await self._asking.earlier(run, fingerprint)
        if asked is None:
            id, kind = uuid.uuid4().hex, str(action.kind)
            text = approval_text(action, id)
            asked = await self._asking.store(run, kind, fingerprint, text, action, id=id)
        await run.say(
            EventKind.APPROVAL_NEEDED,
            asked.text,
            approval=asked.id,
            tool=action.tool,
            rule=decision.rule,
            preview=action.preview,
        )
        if run.ledger.hold is not None:
            await run.emitter.flush()  # whatever happens while a person is waited for
        decided = await self._decision(run, asked)
        if decided is None:
            return Permission(
                False,
                f"it needs your permission, because {decision.why}. To allow it: "
                f"hammerstone approvals give {asked.id[:8]}, then ask again",
                asked.id,
            )
        if decided.status is ApprovalStatus.GIVEN:
            await records.db.approvals.mark_used(decided.id, records.clock.now())
            return Permission(True, _decided_by(decided, request.user), decided.id)
        if decided.status is ApprovalStatus.EXPIRED:
            return Permission(
                False,
                f"nobody allowed it in time; it needs permission, because {decision.why}",
                decided.id,
            )
        return Permission(False, _decided_by(decided, request.user), decided.id)

    async def _decision(self, run: Run, asked: Approval) -> Approval | None:
        """What the person at this door, or somebody elsewhere, decides; None: nobody is there."""
        if asked.status is not ApprovalStatus.PENDING:
            return asked
        if run.contacts.on_approval is None:
            await self._records.db.approvals.outlive(asked.id)
            return None
        desk, policy = self._guards.desk, self._guards.policies.get(ApprovalPolicy)
        here = asyncio.ensure_future(_coroutine(run.contacts.on_approval(asked)))
        elsewhere = asyncio.ensure_future(desk.decided(asked, policy.look_every_s))
        try:
            done, _ = await asyncio.wait(
                {here, elsewhere}, timeout=policy.wait_s, return_when=asyncio.FIRST_COMPLETED
            )
            if elsewhere in done:
                return elsewhere.result()
            if here not in done:
                return await desk.expire(asked)
            said = _said(here)
        finally:
            for waiting in (here, elsewhere):
                waiting.cancel()
            await asyncio.gather(here, elsewhere, return_exceptions=True)
        if said is None:
            await self._records.db.approvals.outlive(asked.id)
            return None
        if said is False:
            return await desk.refuse(asked.id, who=run.request.user)
        scope = said if isinstance(said, ApprovalScope) else ApprovalScope.ONCE
        return await desk.give(asked.id, who=run.request.user, scope=scope)


class Questions:
    """Questions to a person, and what they answer, now or in the session's next message."""

    def __init__(self, guards: Guards, records: Records) -> None:
        self._desk = guards.desk
        self._records = records
        self._asking = _ApprovalRows(guards.policies, records)

    async def ask(
        self, run: Run, question: Question, *, now: bool = True
    ) -> QuestionReply | PendingQuestion:
        """What the person answers; `PendingQuestion` when nobody is there or `now` is False.

        The question is stored then, and `open` finds it when the session goes on, after a
        restart too.
        """
        fingerprint = digest(QUESTION, question.text)
        asked = await self._asking.earlier(run, fingerprint)
        if asked is not None and asked.status is ApprovalStatus.GIVEN:
            choices = asked.choices
            place = choices.index(asked.answer) if asked.answer in choices else None
            return QuestionReply(asked.answer, place, asked.id)
        if asked is None or asked.status is not ApprovalStatus.PENDING:
            asked = await self._asking.store(run, QUESTION, fingerprint, question.text, question)
        on_question = run.contacts.on_question if now else None
        if on_question is None:
            return PendingQuestion(asked.id, question)
        said = await on_question(question.text, question.choices)
        if said is None:
            return PendingQuestion(asked.id, question)
        return await self.answer(run, asked, question.choices[said])

    async def open(self, run: Run) -> Approval | None:
        """The question that this session's person has not answered yet."""
        request = run.request
        now = self._records.clock.now()
        return await self._records.db.approvals.open_question(request.session_id, request.user, now)

    async def answer(self, run: Run, asked: Approval, text: str) -> QuestionReply:
        """Record what the person said to a question; a number or a choice's own words choose it."""
        words = text.strip()
        choice = next((n for n, one in enumerate(asked.choices) if one == words), None)
        if choice is None and words.isdecimal() and 1 <= int(words) <= len(asked.choices):
            choice = int(words) - 1
        said = asked.choices[choice] if choice is not None else words
        clean = self._records.clean_text(said)
        await self._desk.answer(asked.id, clean, who=run.request.user)
        return QuestionReply(said, choice, asked.id)


class _ApprovalRows:
    """Stores what is asked of a person."""

    def __init__(self, policies: Policies, records: Records) -> None:
        self._policies = policies
        self._records = records

    async def earlier(self, run: Run, fingerprint: str) -> Approval | None:
        """What a run that was begun before has asked already, so that it is not asked twice."""
        if not run.request.again:
            return None
        return await self._records.db.approvals.of_run(run.id, fingerprint)

    async def store(
        self,
        run: Run,
        kind: str,
        fingerprint: str,
        text: str,
        about: Action | Question,
        id: str = "",
    ) -> Approval:
        """The question as it is shown; what is stored of it is scrubbed."""
        await run.ready()
        records, request = self._records, run.request
        policy, now = self._policies.get(ApprovalPolicy), records.clock.now()
        asking = isinstance(about, Question)
        choices = about.choices if asking else ()
        asked = Approval(
            id=id or uuid.uuid4().hex,
            kind=kind,
            user=request.user,
            session_id=request.session_id,
            run_id=run.id,
            fingerprint=fingerprint,
            text=text,
            asked_at=now,
            expires_at=now + timedelta(seconds=policy.keep_s),
            action=about.to_json() if asking else _shown(about),
            choices=choices,
            outlives_run=asking or run.contacts.on_approval is None,
        )
        stored = replace(
            asked,
            text=records.clean_text(text),
            action=records.clean(asked.action) if asked.action is not None else None,
            choices=tuple(records.clean_text(choice) for choice in choices),
        )
        await records.db.approvals.add(stored)
        return asked


def _said(here: "asyncio.Future[bool | ApprovalScope | None]") -> bool | ApprovalScope | None:
    error = here.exception()
    if error is None:
        return here.result()
    # A door that breaks while it asks must not count as a yes.
    warn("nobody could be asked for permission", error=str(error))
    return None


def _decided_by(decided: Approval, reader: str) -> str:
    """Who allowed or refused it, as the person reads it for whom it runs."""
    who = "you" if decided.decided_by in ("", reader) else decided.decided_by
    given = decided.status is ApprovalStatus.GIVEN
    return f"{who} allowed it" if given else f"{who} did not allow it"


def _fingerprint(action: Action) -> str:
    """The same for the same action; leave for one says nothing about any other."""
    about = [str(action.kind), action.tool, str(action.version), str(action.effect)]
    return digest("action", *about, canonical(dict(action.arguments)))


def _shown(action: Action) -> JsonObject:
    return asdict(action) | {
        "kind": str(action.kind),
        "effect": str(action.effect),
        "arguments": dict(action.arguments),
    }


def _coroutine(awaitable: Awaitable[Any]) -> Coroutine[Any, Any, Any]:
    async def wait() -> Any:
        return await awaitable

    return wait()
