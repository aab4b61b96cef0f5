"""Deliveries worked off: each is a request like any other, with the files that come with it, within
its trigger's limits."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.app.queue.job_holding import JobHolding
from hammerstone.app.triggers.answer_sending import (
    AnswerSender,
    NotSent,
    OutgoingAnswer,
    SentAnswer,
    UnusualNotes,
)
from hammerstone.app.triggers.chats import ChatProgress, Chats
from hammerstone.app.triggers.deliverer import BY_HAND, KIND, Deliverer
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.app.triggers.triggerbook import DayBudget
from hammerstone.connectors.chats.chat import ChatFile, ChatGone
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.errors import (
    BadRequest,
    HammerstoneError,
    ModelMissing,
    ModelUnavailable,
    NotFound,
    Stopped,
    StorageError,
)
from hammerstone.core.jobs import Job
from hammerstone.core.json_types import is_dict, is_list
from hammerstone.core.people import Caller, Right
from hammerstone.core.settings import Settings
from hammerstone.core.triggers import (
    AnswerPlace,
    Delivery,
    DeliveryState,
    Trigger,
    TriggerKind,
    TriggerTask,
)
from hammerstone.guard.budget import Budget
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.run.request import AskOptions
from hammerstone.run.services import Guards, Records
from hammerstone.tracing.warn import warn

_PAUSED_S = 10.0
_MOST_FILES = 20
_LATER = (ModelMissing, ModelUnavailable, StorageError)
Ask: TypeAlias = Callable[..., Awaitable[Answer]]


class DeliveryFiles:
    """The files that come with a delivery: of a watched folder, a chat message or a webhook."""

    def __init__(self, chats: Chats, deliverer: Deliverer, settings: Settings) -> None:
        self._chats = chats
        self._deliverer = deliverer
        self._most_bytes = settings.max_upload_bytes

    async def files(self, trigger: Trigger, delivery: Delivery, task: TriggerTask) -> list[str]:
        """Where they are; raises `BadRequest` for one that is gone or too large."""
        if trigger.kind is TriggerKind.SCHEDULE:
            return _scheduled(trigger)
        if trigger.kind.is_chat:
            return await self._from_chat(trigger, delivery, task)
        return list(task.files)

    async def _from_chat(
        self, trigger: Trigger, delivery: Delivery, task: TriggerTask
    ) -> list[str]:
        listed = task.place.get("files")
        found: list[str] = []
        for one in listed if is_list(listed) else []:
            if not is_dict(one) or len(found) >= _MOST_FILES:
                continue
            file = ChatFile(str(one["name"]), str(one["where"]), int(one["size_bytes"]))
            content = await self._chats.of(trigger).download(file, self._most_bytes)
            name = Path(file.name.replace("\\", "/")).name.lstrip(".") or "file"
            folder = self._deliverer.files_of(delivery.id)
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / name).write_bytes(content)
            found.append(str(folder / name))
        return list(dict.fromkeys(found))


def _scheduled(trigger: Trigger) -> list[str]:
    listed = trigger.config.get("files")
    found: list[str] = []
    for one in listed if is_list(listed) else []:
        path = Path(str(one))
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.is_file() and not p.is_symlink())
            found += [str(p) for p in inside if not p.name.startswith(".")]
        elif path.is_file():
            found.append(str(path))
        else:
            raise BadRequest(f"{path} is gone", hint="check the path of the trigger")
    if len(found) > _MOST_FILES:
        raise BadRequest(f"there are {len(found)} files; at most {_MOST_FILES} are read")
    return found


@dataclass(frozen=True, slots=True)
class RunnerParts:
    """The services that a runner works with."""

    ask: Ask
    people: PeopleBook
    deliverer: Deliverer
    given: DeliveryFiles
    chats: Chats
    sender: AnswerSender


@dataclass(frozen=True, slots=True)
class _ClaimedDelivery:
    """A delivery in hand, with everything that is known of it."""

    job: Job
    delivery: Delivery
    trigger: Trigger
    task: TriggerTask


class TriggerRunner:
    """Works for whichever process it is in; a job that dies with it is another one's later."""

    def __init__(self, records: Records, guards: Guards, parts: RunnerParts) -> None:
        self._db = records.db
        self._clock = records.clock
        self._guards = guards
        self._parts = parts
        self._budget = DayBudget(records.db, records.clock, guards.policies)
        self._unusual = UnusualNotes(records, guards.policies)
        self._holding = JobHolding(records, KIND, "a trigger's request")
        self.doing: dict[str, None] = {}  # deliveries that go on here

    async def do_next(self, id: str | None = None) -> Delivery | None:
        """Do the oldest delivery that waits, or a certain one; None when there is none.

        Raises `Stopped`, and begins nothing, while everything is stopped.
        """
        await self._guards.stop.check(fresh=True)
        policy = self._guards.policies.get(TriggerPolicy)
        job = await self._holding.claim(lease_s=policy.lease_s, most=1_000_000, key=id)
        if job is None:
            return None
        self.doing[job.key] = None
        try:
            await self._holding.work(
                job, policy.lease_s, self._work(job, policy), lambda: self._again(job, 0.0)
            )
            return await self._db.deliveries.find(job.key)
        finally:
            self.doing.pop(job.key, None)

    async def _work(self, job: Job, policy: TriggerPolicy) -> None:
        claimed = await self._claimed(job)
        if claimed is None:
            return
        if claimed.trigger.paused and not claimed.delivery.key.startswith(BY_HAND):
            await self._again(job, _PAUSED_S)
            return
        caller = await self._parts.people.by_name(claimed.trigger.user)
        if caller is None:
            who = claimed.trigger.user
            await self._refuse(claimed, f"{who} has no access any more: revoked or expired")
            return
        try:
            await self._do(claimed, caller, policy)
        except Stopped as error:
            if error.data.get("scope") == "all":
                await self._again(job, 0.0)
                raise
            await self._end(claimed, SentAnswer.failure(error.message), DeliveryState.FAILED)
        except _LATER as error:
            await self._later(claimed, error.message, policy)
        except Exception as error:
            # One request that breaks must not keep the others from being done.
            warn(
                "a trigger's request failed", trigger=claimed.trigger.name, error=repr(error)[:300]
            )
            await self._later(
                claimed, f"something went wrong inside ({type(error).__name__})", policy
            )

    async def _claimed(self, job: Job) -> _ClaimedDelivery | None:
        delivery = await self._db.deliveries.find(job.key)
        trigger = await self._db.triggers.find(delivery.trigger) if delivery else None
        if delivery is None or trigger is None or not job.askers:  # removed meanwhile
            self._parts.deliverer.forget_files(job.key)
            for asker in job.askers:
                await self._db.jobs.settle(job, asker.name)
            await self._db.jobs.finish(job, None)
            return None
        return _ClaimedDelivery(
            job, delivery, trigger, TriggerTask.from_json(job.askers[0].payload)
        )

    async def _do(self, claimed: _ClaimedDelivery, caller: Caller, policy: TriggerPolicy) -> None:
        known = await self._known(claimed)
        answer: SentAnswer
        progress = None
        if known is None and claimed.job.attempts > policy.attempts:
            tries = claimed.job.attempts - 1
            answer = SentAnswer.failure(f"given up after {tries} attempts that did not end")
        else:
            progress = await self._begun(claimed, policy)
            if known is not None:
                answer = known
            else:
                budget = await self._budget.begin(claimed.trigger, claimed.delivery)
                if isinstance(budget, str):
                    await self._refuse(claimed, budget, progress)
                    return
                answer = await self._answered(claimed, caller, budget, progress)
        unusual = await self._unusual.about(claimed.trigger, claimed.delivery, answer)
        answer = answer.with_remarks(claimed.task.remark, unusual)
        message = progress.message if progress else ""
        outgoing = OutgoingAnswer(claimed.trigger, claimed.delivery, claimed.task, answer, message)
        try:
            await self._parts.sender.send(outgoing)
        except NotSent as error:
            if error.data["again"] and claimed.job.attempts < policy.attempts:
                await self._later(claimed, error.message, policy)
                return
            await self._end(claimed, answer, DeliveryState.UNSENT, error.message, note=unusual)
            return
        await self._end(claimed, answer, _STATES[answer.status], note=unusual)

    async def _known(self, claimed: _ClaimedDelivery) -> SentAnswer | None:
        """What the run came to before its process died, or before its answer could be sent."""
        if claimed.job.attempts < 2:
            return None
        row = await self._db.runs.find(claimed.delivery.run_id)
        if row is None or not isinstance(row.answer, dict) or "cost" not in row.answer:
            return None
        return await self._with_choices(claimed, SentAnswer.from_json(row.answer))

    async def _begun(self, claimed: _ClaimedDelivery, policy: TriggerPolicy) -> ChatProgress | None:
        """The chat's message about the work; its id is kept, so that a second attempt uses it."""
        if claimed.trigger.destination.place is not AnswerPlace.CHANNEL:
            return None
        every_s = policy.progress_every_s
        before: Any = claimed.job.progress
        message = str(before["message"]) if isinstance(before, dict) else ""
        try:
            progress = ChatProgress(
                self._parts.chats, self._clock, claimed.trigger, claimed.task, every_s
            )
            await progress.begin(message)
        except (ChatGone, NotFound, ServiceDown):
            return None  # the request is done all the same; sending its answer tells what is wrong
        await self._db.jobs.renew(claimed.job, policy.lease_s, {"message": progress.message})
        return progress

    async def _answered(
        self,
        claimed: _ClaimedDelivery,
        caller: Caller,
        budget: Budget,
        progress: ChatProgress | None,
    ) -> SentAnswer:
        trigger, task = claimed.trigger, claimed.task
        highest = self._guards.policies.get(MaturityPolicy).level
        level = min(trigger.limits.level or highest, highest)
        allowing = progress is not None and caller.may(Right.BUILD)
        options = AskOptions(
            user=trigger.user,
            run_id=claimed.delivery.run_id,
            on_approval=progress.ask if progress and allowing else None,
            level=level,
            budget=budget,
            by_program=True,
            keep=caller.may(Right.BUILD),
            fresh=True,
            personal=not trigger.kind.is_chat,
            tools=trigger.limits.tools,
            again=claimed.job.attempts > 1,
            retried=True,
        )
        try:
            files = await self._parts.given.files(trigger, claimed.delivery, task)
            answer = await self._parts.ask(
                task.text,
                files=[Path(one) for one in files],
                session=task.session_id,
                on_event=progress.show if progress else None,
                options=options,
            )
        except (Stopped, *_LATER):
            raise
        except HammerstoneError as error:
            spent = budget.spent
            failed = SentAnswer.failure(error.message)
            return replace(failed, tokens=spent.tokens, usd=spent.usd)
        return await self._with_choices(claimed, SentAnswer.from_json(answer.to_json()))

    async def _with_choices(self, claimed: _ClaimedDelivery, answer: SentAnswer) -> SentAnswer:
        if answer.status is not AnswerStatus.QUESTION:
            return answer
        asked = await self._db.approvals.open_question(
            claimed.task.session_id, claimed.trigger.user, self._clock.now()
        )
        return replace(answer, choices=asked.choices if asked else ())

    async def _refuse(
        self, claimed: _ClaimedDelivery, reason: str, progress: ChatProgress | None = None
    ) -> None:
        """Nothing runs; the channel is told so, and the log says why."""
        told = SentAnswer.failure(f"I cannot do this now: {reason}.")
        message = progress.message if progress else ""
        with suppress(NotSent):
            if claimed.trigger.destination.place is AnswerPlace.CHANNEL:
                await self._parts.sender.send(
                    OutgoingAnswer(claimed.trigger, claimed.delivery, claimed.task, told, message)
                )
        await self._end(claimed, told, DeliveryState.REFUSED, reason)

    async def _end(
        self,
        claimed: _ClaimedDelivery,
        answer: SentAnswer,
        state: DeliveryState,
        reason: str = "",
        *,
        note: str = "",
    ) -> None:
        """Write what it came to and end the job, together."""
        plain = state in (DeliveryState.DONE, DeliveryState.UNSENT)
        told = reason or (claimed.delivery.reason if plain else answer.text)
        values: dict[str, Any] = {
            "state": state,
            "reason": self._unusual.storable_text(told),
            "trace_id": answer.trace_id,
            "tokens": answer.tokens,
            "usd": answer.usd,
            "value": self._unusual.kept(answer),
            "note": note,
            "finished_at": self._clock.now(),
        }
        async with self._db.transaction() as stores:
            if await stores.jobs.settle(claimed.job, claimed.delivery.id):
                await stores.deliveries.change(claimed.delivery.id, **values)
                await stores.jobs.finish(claimed.job, None)
        self._parts.deliverer.forget_files(claimed.delivery.id)

    async def _later(self, claimed: _ClaimedDelivery, reason: str, policy: TriggerPolicy) -> None:
        if claimed.job.attempts >= policy.attempts:
            failed = SentAnswer.failure(reason)
            await self._end(claimed, failed, DeliveryState.FAILED, reason)
            return
        await self._db.deliveries.change(
            claimed.delivery.id, state=DeliveryState.WAITING, reason=reason, tokens=0
        )
        await self._db.jobs.fail(claimed.job, reason, retry_s=policy.retry_s * claimed.job.attempts)

    async def _again(self, job: Job, pause_s: float) -> None:
        await self._db.deliveries.change(job.key, state=DeliveryState.WAITING, tokens=0)
        await self._db.jobs.release(job, pause_s=pause_s)


_STATES = {
    AnswerStatus.DONE: DeliveryState.DONE,
    AnswerStatus.QUESTION: DeliveryState.QUESTION,
    AnswerStatus.FAILED: DeliveryState.FAILED,
}
