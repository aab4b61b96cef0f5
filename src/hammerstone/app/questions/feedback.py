"""What a person says about an answer, taken at one desk: every door comes here."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Literal

from hammerstone.core.answers import Answer
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.feedback import SAID, Feedback, FeedbackKind
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Tool
from hammerstone.judging.equality import same
from hammerstone.judging.rendering import in_words, plain
from hammerstone.learn.feedback.confirmations import as_result
from hammerstone.learn.feedback.correction import (
    CorrectionOutcome,
    CorrectionResult,
    Corrections,
    StatedValue,
)
from hammerstone.learn.feedback.reader import FeedbackReader
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.run.request import Request
from hammerstone.run.services import Services
from hammerstone.run.understand.spoken_feedback import LONGEST_VALUE, spoken_feedback
from hammerstone.storage import Execution


class UnstatedValue(Enum):
    """Stands for a right value that nobody stated; None may be one."""

    UNSTATED = "unstated"


UNSTATED: Literal[UnstatedValue.UNSTATED] = UnstatedValue.UNSTATED


@dataclass(frozen=True, slots=True)
class FeedbackReply:
    """What came of what was said: `outcome` in a word, `text` for the person."""

    run_id: str
    outcome: str
    text: str
    tool: str = ""
    standing: str = ""

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _JudgedAnswer:
    """The answer that somebody judges: its run's last use, the call behind it, and its result."""

    use: Feedback
    call: Execution | None
    result: Json  # plain, of the answer or of the step
    whole: bool  # False: a step of several, so it is not the answer to the words


class FeedbackDesk:
    """`wrong`, `right`, and the same in plain words; of a person's last answer or of any run."""

    def __init__(
        self,
        services: Services,
        reader: FeedbackReader,
        corrections: Corrections,
        settle: Callable[[], Awaitable[None]],
        user: str,
    ) -> None:
        self._db = services.records.db
        self._records = services.records
        self._registry = services.catalogue.registry
        self._policies = services.guards.policies
        self._stop = services.guards.stop
        self._memo = services.memories.memo
        self._reader = reader
        self._corrections = corrections
        self._settle = settle
        self._user = user

    async def wrong(
        self,
        value: Json | Literal[UnstatedValue.UNSTATED] = UNSTATED,
        *,
        run: str | None = None,
        session: str | None = None,
        user: str | None = None,
        step: int | None = None,
    ) -> FeedbackReply:
        """Say that an answer is wrong, and what is right where you know it.

        Of the last answer, of the last one in `session`, or of `run`; `step` is the number of
        one call of a run that took several. Raises `NotFound` and `BadRequest`.
        """
        who = user or self._user
        judged = await self._judged(run, session, who, step)
        if value is UNSTATED:
            return await self._refused(judged, who)
        if len(canonical(value)) > LONGEST_VALUE:
            raise BadRequest(f"a value of more than {LONGEST_VALUE} characters is not kept")
        if same(value, judged.result):
            raise BadRequest(
                f"{in_words(value)} is the answer that you got", hint="hammerstone right"
            )
        return await self._corrected(judged, value, who)

    async def right(
        self,
        *,
        run: str | None = None,
        session: str | None = None,
        user: str | None = None,
        step: int | None = None,
    ) -> FeedbackReply:
        """Say that an answer is right: no later change of the tool may break it."""
        who = user or self._user
        judged = await self._judged(run, session, who, step)
        if not await self._append(judged, FeedbackKind.CONFIRMED, who):
            return self._reply(judged, "kept", "You told me that before.")
        contradicted = False
        if judged.call is not None:
            said = [(judged.call.result, True)]
            contradicted = await self._corrections.keep(judged.call, said, who)
        await self._reader.judge(judged.use.run_id)
        if contradicted:
            return self._reply(judged, "contradicted", _CONTRADICTED)
        about = f"no later change of {judged.use.tool} may break it" if judged.call else "thank you"
        return self._reply(judged, "kept", f"Noted: {in_words(judged.result)} is right; {about}.")

    async def answer_to(self, request: Request) -> Answer | None:
        """The answer to a message that only judges the session's last one; None for any other.

        It is kept among the session's messages, and is no run of its own.
        """
        session = request.session_id
        reply = None if request.files else await self.hear(request.text, session, request.user)
        if reply is None:
            return None
        text, said = (self._records.clean_text(each) for each in (request.text, reply.text))
        answer = Answer(text=said, session_id=session, strategy="feedback")
        async with self._db.transaction() as stores:
            await stores.messages.append(session, "user", text, None)
            await stores.messages.append(session, "assistant", said, answer.to_json())
        return answer

    async def hear(self, text: str, session: str, user: str) -> FeedbackReply | None:
        """What came of a message that judges the session's last answer; None for any other."""
        spoken = spoken_feedback(text)
        if spoken is None:
            return None
        await self._settle()
        run = await self._db.feedback.last_run(user, session)
        if run is None:
            return None
        if spoken.right:
            return await self.right(run=run, user=user)
        return await self.wrong(spoken.value if spoken.stated else UNSTATED, run=run, user=user)

    async def _refused(self, judged: _JudgedAnswer, who: str) -> FeedbackReply:
        if not await self._append(judged, FeedbackKind.REFUSED, who):
            return self._reply(judged, "kept", "You told me that before.")
        contradicted = False
        if judged.call is not None:
            said = [(judged.call.result, False)]
            contradicted = await self._corrections.keep(judged.call, said, who)
            await self._memo.forget(judged.call.version_id)
        await self._reader.judge(judged.use.run_id)
        if contradicted:
            return self._reply(judged, "contradicted", _CONTRADICTED)
        told = f"Noted: {in_words(judged.result)} is wrong"
        by_words = judged.whole and bool(judged.use.words)
        told += ", and I will not give it for the same words again. " if by_words else ". "
        if judged.use.tool and judged.use.request:
            told += f"Similar requests are now less likely to use {judged.use.tool}. "
        return self._reply(
            judged, "kept", told + "Ask again, or tell me the right value: hammerstone wrong VALUE"
        )

    async def _corrected(self, judged: _JudgedAnswer, value: Json, who: str) -> FeedbackReply:
        fresh = await self._append(judged, FeedbackKind.CORRECTED, who, value)
        told = f"Noted: {in_words(value)} is right, not {in_words(judged.result)}. "
        if judged.whole and judged.use.words:
            told += f"The same request now gives {in_words(value)}. "
        if not fresh:
            told = "You told me that before. "
        call = judged.call
        if call is None:
            return self._reply(judged, "kept", told)
        await self._memo.forget(call.version_id)
        if why := await self._no_consequence(value, who):
            return self._reply(judged, "kept", told + why)
        tool = await self._registry.find(call.tool)
        mismatch = ""
        if tool is not None:
            value, mismatch = as_result(value, tool.version.spec, call.result)
        if tool is not None and mismatch:
            await self._append(judged, FeedbackKind.WRONG_TOOL, who)
            await self._reader.judge(judged.use.run_id)
            return self._reply(judged, "wrong type", told + _no_case(tool, mismatch))
        stated = StatedValue(call, value, judged.use.request, who)
        async with self._stop.calling():
            result = await self._corrections.follow(stated)
        if result.outcome is CorrectionOutcome.ANOTHER_TOOL:
            await self._append(judged, FeedbackKind.WRONG_TOOL, who)
            await self._point_to(judged, result.other, who)
        await self._reader.judge(judged.use.run_id)
        text = told + _in_words(call.tool, result)
        return replace(self._reply(judged, str(result.outcome), text), standing=result.standing)

    async def _no_consequence(self, value: Json, who: str) -> str:
        """Why nothing but a note follows from a stated value; empty where something does."""
        policy = self._policies.get(FeedbackPolicy)
        if not policy.enabled:
            return "Nothing else changes: the policy feedback.enabled is false."
        if not self._records.storable(value):
            return "It contains something private, so it is not kept as a test of the tool."
        said = [each.kind for each in await self._db.feedback.said(who)]
        answers = await self._db.feedback.answers(who)
        doubted = policy.worth_of_word(FeedbackKind.CORRECTED, said, answers) < policy.counts
        return (
            "Nothing else changes: you called nearly every answer wrong, so each word counts less."
            if doubted
            else ""
        )

    async def _judged(
        self, run_id: str | None, session: str | None, who: str, step: int | None
    ) -> _JudgedAnswer:
        """The answer that is meant; raises `NotFound` for one that is not the person's."""
        await self._settle()
        run_id = run_id or await self._db.feedback.last_run(who, session)
        run = await self._db.runs.find(run_id) if run_id else None
        if run is None or run.user != who:
            what = f"there is no run {run_id} of yours" if run_id else "nothing was answered yet"
            raise NotFound(what, hint="hammerstone sessions list")
        events = await self._db.feedback.of_run(run.id)
        uses = [event for event in events if event.kind is FeedbackKind.USED]
        calls = [call for call in await self._db.executions.of_run(run.id) if call.ok]
        if not uses and calls:  # a run of an older version left its calls alone
            last = calls[-1]
            uses = [_use_of(last, run.user, run.request)]
        if not uses:
            raise BadRequest("that request had no result that could be right or wrong")
        if step is not None:
            return _step_of(uses, calls, step)
        use = uses[-1]
        call = next((each for each in reversed(calls) if each.tool == use.tool), None)
        answered = run.answer.get("result") if isinstance(run.answer, dict) else use.result
        if call is not None and not same(plain(call.result), answered):
            call = None  # the answer is put together from several results
        return _JudgedAnswer(use, call, answered, whole=True)

    async def _append(
        self, judged: _JudgedAnswer, kind: FeedbackKind, who: str, value: Json = None
    ) -> bool:
        """Append what was said; False where the person's last word about it was the same."""
        use = judged.use
        alike = SAID if kind in SAID else {kind}
        events = await self._db.feedback.of_run(use.run_id)
        said = [e for e in events if (e.user, e.tool) == (who, use.tool) and e.kind in alike]
        if said and said[-1].kind is kind and canonical(said[-1].value) == canonical(value):
            return False
        words = use.words if judged.whole else ""
        before = [each.kind for each in await self._db.feedback.said(who)]
        answers = await self._db.feedback.answers(who)
        event = Feedback(
            kind=kind,
            run_id=use.run_id,
            session_id=use.session_id,
            user=who,
            at=self._records.clock.now(),
            tool=use.tool,
            version_id=use.version_id,
            request=use.request,
            words=words if self._records.storable(value) else "",
            result=self._records.scrub(judged.result),
            value=self._records.scrub(value),
            reliability=self._policies.get(FeedbackPolicy).worth_of_word(kind, before, answers),
        )
        await self._db.feedback.append([event])
        return True

    async def _point_to(self, judged: _JudgedAnswer, other: str, who: str) -> None:
        """The tool that was meant is what the words lead to from now on."""
        tool = await self._registry.get(other)
        use = replace(judged.use, tool=other, version_id=tool.version.id)
        await self._append(replace(judged, use=use), FeedbackKind.CHOSEN, who)

    def _reply(self, judged: _JudgedAnswer, outcome: str, text: str) -> FeedbackReply:
        return FeedbackReply(judged.use.run_id, outcome, text.strip(), judged.use.tool)


_CONTRADICTED = "Noted. It contradicts what was said before, so neither of the two counts."


def _no_case(tool: Tool, mismatch: str) -> str:
    return (
        f"{tool.name} cannot give such a value ({mismatch}), so it was the wrong tool for this "
        "request. Similar requests are now less likely to use it."
    )


def _in_words(tool: str, result: CorrectionResult) -> str:
    stands = f"{tool} is {result.standing} now"
    match result.outcome:
        case CorrectionOutcome.REPAIRED:
            return f"{tool} was repaired and stays {result.standing}: {result.reason}."
        case CorrectionOutcome.NOT_REPAIRED:
            return (
                f"It is a test of {tool} now. No repair passes it yet ({result.reason}). "
                f"{tool} is {result.standing} until then. To try again: hammerstone repair {tool}"
            )
        case CorrectionOutcome.PASSES:
            return f"{tool} already gives this value; {stands}."
        case CorrectionOutcome.ANOTHER_TOOL:
            return f"{result.reason}. Similar requests use {result.other} now."
        case _:
            return f"It is kept as a test; nothing else changes: {result.reason}."


def _use_of(call: Execution, user: str, request: str) -> Feedback:
    return Feedback(
        kind=FeedbackKind.USED,
        run_id=call.run_id,
        session_id=call.session_id,
        user=user,
        at=call.at,
        tool=call.tool,
        version_id=call.version_id,
        request=request,
        result=plain(call.result),
    )


def _step_of(uses: list[Feedback], calls: list[Execution], step: int) -> _JudgedAnswer:
    if not 1 <= step <= len(calls):
        steps = f"its steps are 1 to {len(calls)}" if len(calls) > 1 else "it took one step"
        if not calls:
            steps = "no tool was called for it"
        raise BadRequest(f"there is no step {step}: {steps}")
    call = calls[step - 1]
    use = next((each for each in uses if each.tool == call.tool), None)
    use = use or replace(uses[-1], tool=call.tool, version_id=call.version_id)
    last = step == len(calls)
    return _JudgedAnswer(use, call, plain(call.result), whole=last)
