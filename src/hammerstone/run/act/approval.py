"""The one door for everything that may need a person's leave, and for questions to them."""

import asyncio
import uuid
from collections.abc import Awaitable, Coroutine
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from hammerstone.core.answers import EventKind
from hammerstone.core.approvals import (
    QUESTION,
    Action,
    Approval,
    ApprovalScope,
    ApprovalStatus,
    Leave,
    Question,
    QuestionReply,
    Waiting,
)
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import JsonObject
from hammerstone.guard.approvals import ApprovalPolicy, approval_text
from hammerstone.guard.data import visible
from hammerstone.guard.maturity import (
    ActionContext,
    MaturityDecision,
    MaturityPolicy,
    MaturityRuling,
    decide,
    iterations,
    level_in_force,
)
from hammerstone.run.context import Run
from hammerstone.tracing import span
from hammerstone.tracing.warn import warn


async def leave(run: Run, action: Action) -> Leave:
    """Whether the action may happen. Every call passes here; an ordinary one costs nothing.

    What needs leave is asked of the person. With nobody there to ask, the question is stored
    and this run is refused; once the person has said yes, the same action of theirs may happen
    once. Raises `Stopped` when the run was stopped.
    """
    await run.parts.stop.check(run.id, run.request.session_id)
    decision = decide(action, _standing(run))
    if decision.ruling is MaturityRuling.ALLOW:
        return Leave(True)
    with span(f"leave {action.tool}", kind="step", input=_shown(action)) as traced:
        traced.set("hammerstone.guard.rule", decision.rule)
        traced.set("hammerstone.guard.why", decision.why)
        if decision.ruling is MaturityRuling.REFUSE:
            answer = Leave(False, decision.why)
        else:
            answer = await _asked(run, action, decision)
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


def is_refused(run: Run, action: Action) -> bool:
    """Whether nobody's leave would help: the run's maturity rules the action out."""
    return decide(action, _standing(run)).ruling is MaturityRuling.REFUSE


def rounds_of(run: Run) -> int:
    """How often this run may plan and act, by its maturity."""
    standing = _standing(run)
    return iterations(standing.level, standing.policy)


def _standing(run: Run) -> ActionContext:
    policy, request = run.parts.policies.get(MaturityPolicy), run.request
    level = level_in_force(policy, skill=request.skill_level, task=request.level)
    return ActionContext(level, policy, run.given_tool)


async def _asked(run: Run, action: Action, decision: MaturityDecision) -> Leave:
    parts, request = run.parts, run.request
    for kept in await parts.db.approvals.standing(request.session_id, request.user):
        about = kept.action or {}
        if (about.get("tool"), about.get("version")) == (action.tool, action.version):
            return Leave(True, "allowed for this session", kept.id)
    fingerprint = _fingerprint(action)
    used = await parts.db.approvals.use(fingerprint, request.user, parts.clock.now())
    if used is not None:
        return Leave(True, f"{used.decided_by} said yes", used.id)
    id = uuid.uuid4().hex
    text = approval_text(action, decision.why, id)
    asked = await _ask(run, str(action.kind), fingerprint, text, action, id=id)
    await run.say(
        EventKind.APPROVAL_NEEDED,
        asked.text,
        approval=asked.id,
        tool=action.tool,
        rule=decision.rule,
        preview=visible(action.preview, kept="\n"),
    )
    decided = await _decision(run, asked)
    if decided is None:
        return Leave(
            False,
            f"it needs your leave ({decision.why}): hammerstone approvals give {asked.id[:8]},"
            " then ask again",
            asked.id,
        )
    if decided.status is ApprovalStatus.GIVEN:
        await parts.db.approvals.mark_used(decided.id, parts.clock.now())
        return Leave(True, f"{decided.decided_by or request.user} said yes", decided.id)
    if decided.status is ApprovalStatus.EXPIRED:
        return Leave(False, f"nobody gave leave in time ({decision.why})", decided.id)
    return Leave(False, f"{decided.decided_by or request.user} said no", decided.id)


async def _decision(run: Run, asked: Approval) -> Approval | None:
    """What the person at this door, or somebody elsewhere, decides; None: nobody is there."""
    if run.on_approval is None:
        return None
    desk, policy = run.parts.desk, run.parts.policies.get(ApprovalPolicy)
    here = asyncio.ensure_future(_coroutine(run.on_approval(asked)))
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
        await run.parts.db.approvals.outlive(asked.id)
        return None
    if said is False:
        return await desk.refuse(asked.id, who=run.request.user)
    scope = said if isinstance(said, ApprovalScope) else ApprovalScope.ONCE
    return await desk.give(asked.id, who=run.request.user, scope=scope)


def _said(here: "asyncio.Future[bool | ApprovalScope | None]") -> bool | ApprovalScope | None:
    error = here.exception()
    if error is None:
        return here.result()
    # A door that breaks while it asks must not count as a yes.
    warn("nobody could be asked for leave", error=str(error))
    return None


async def ask_person(run: Run, question: Question) -> QuestionReply | Waiting:
    """What the person answers; `Waiting` when nobody is there: the question is stored then, and
    `open_question` finds it when the session goes on, after a restart too."""
    fingerprint = digest(QUESTION, question.text)
    asked = await _ask(run, QUESTION, fingerprint, question.text, question)
    if run.on_question is None:
        return Waiting(asked.id, question)
    said = await run.on_question(question.text, question.choices)
    if said is None:
        return Waiting(asked.id, question)
    text = question.choices[said] if isinstance(said, int) else str(said)
    return await answer_question(run, asked, text)


async def open_question(run: Run) -> Approval | None:
    """The question that this session's person has not answered yet."""
    request = run.request
    now = run.parts.clock.now()
    return await run.parts.db.approvals.open_question(request.session_id, request.user, now)


async def answer_question(run: Run, asked: Approval, text: str) -> QuestionReply:
    """Record what the person said to a question; a number or a choice's own words choose it."""
    words = text.strip()
    choice = next((n for n, one in enumerate(asked.choices) if one == words), None)
    if choice is None and words.isdecimal() and 1 <= int(words) <= len(asked.choices):
        choice = int(words) - 1
    said = asked.choices[choice] if choice is not None else words
    clean = run.parts.clean_text(said)
    await run.parts.desk.answer(asked.id, clean, who=run.request.user)
    return QuestionReply(said, choice, asked.id)


async def _ask(
    run: Run,
    kind: str,
    fingerprint: str,
    text: str,
    about: Action | Question,
    id: str = "",
) -> Approval:
    """The question as it is shown; what is stored of it is scrubbed."""
    await run.ready()
    parts, request = run.parts, run.request
    policy, now = parts.policies.get(ApprovalPolicy), parts.clock.now()
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
        outlives_run=asking or run.on_approval is None,
    )
    stored = replace(
        asked,
        text=parts.clean_text(text),
        action=parts.clean(asked.action) if asked.action is not None else None,
        choices=tuple(parts.clean_text(choice) for choice in choices),
    )
    await parts.db.approvals.add(stored)
    return asked


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
