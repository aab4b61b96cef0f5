"""Triggers that there are: added, paused, removed, what each one did, and may still spend."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.app.triggers.credentials import TriggerCredentials
from hammerstone.app.triggers.folder_watch import FolderWatch
from hammerstone.app.triggers.new_trigger import SECRET, AddedTrigger, NewTrigger, checked
from hammerstone.app.triggers.schedules import next_tick
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.triggers import Delivery, DeliveryState, Destination, Trigger, TriggerKind
from hammerstone.guard.budget import Budget
from hammerstone.library.policies import Policies, RequestBudgetPolicy
from hammerstone.storage import Database

_SHOWN_POINTS = 500


class TriggerBook:
    def __init__(
        self,
        db: Database,
        clock: Clock,
        people: PeopleBook,
        credentials: TriggerCredentials,
        folders: FolderWatch,
    ) -> None:
        self._db = db
        self._clock = clock
        self._people = people
        self._credentials = credentials
        self._folders = folders

    async def add(self, new: NewTrigger, *, who: str) -> AddedTrigger:
        """Keep a trigger. A secret that was made here is in the result and nowhere else.

        Raises `BadRequest` for what cannot work: a name that is taken, a time that is none, a
        folder that is not there, a person who may not come in.
        """
        made = not new.credentials.get(SECRET)
        new = checked(new)
        user = new.user or who
        if await self._people.by_name(user) is None:
            raise BadRequest(f"{user} has no access here", hint="hammerstone people list")
        now = self._clock.now()
        trigger = Trigger(
            new.name, new.kind, user, new.request, dict(new.config), now, who,
            limits=new.limits, destination=Destination.parse(new.answers),
        )  # fmt: skip
        if await self._db.triggers.find(new.name) is not None:
            raise BadRequest(
                f"there is a trigger {new.name} already",
                hint=f"hammerstone triggers show {new.name}",
            )
        if new.credentials:
            self._credentials.keep(new.name, dict(new.credentials))
        if trigger.kind is TriggerKind.FOLDER and not trigger.config["existing"]:
            await self._folders.note_existing(trigger)
        trigger = _with_next(trigger, now)
        if not await self._db.triggers.add(trigger):
            raise BadRequest(f"there is a trigger {new.name} already")
        secret = new.credentials.get(SECRET, "") if made else ""
        return AddedTrigger(trigger, secret)

    async def list(self, user: str | None = None) -> "list[Trigger]":
        """All triggers, or those of one person, oldest first."""
        found = await self._db.triggers.list()
        return [one for one in found if user is None or one.user == user]

    async def get(self, name: str, user: str | None = None) -> Trigger:
        found = await self._db.triggers.find(name)
        if found is None or (user is not None and found.user != user):
            raise NotFound(f"there is no trigger {name}", hint="hammerstone triggers list")
        return found

    async def pause(self, name: str) -> bool:
        """Let a trigger rest; False when it rests already. What it has begun goes on."""
        await self.get(name)
        return await self._db.triggers.pause(name, True)

    async def resume(self, name: str) -> bool:
        """Let a trigger go on. The ticks that a schedule missed meanwhile are not made up for."""
        trigger = await self.get(name)
        again = _with_next(trigger, self._clock.now())
        return await self._db.triggers.pause(name, False, again.next_at)

    async def remove(self, name: str) -> None:
        """Forget a trigger, its secret and its log; its runs stay."""
        await self.get(name)
        await self._db.triggers.remove(name)
        await self._db.deliveries.remove(name)
        self._credentials.forget(name)

    async def log(
        self, name: str | None = None, limit: int = 50, user: str | None = None
    ) -> "list[Delivery]":
        """What triggers did, newest first; with `user` only what was done for them."""
        if name is not None:
            await self.get(name, user)
            return await self._db.deliveries.list(name, limit)
        rows = await self._db.deliveries.list(None, limit if user is None else 1_000)
        mine = {one.name for one in await self.list(user)}
        return [row for row in rows if row.trigger in mine][:limit]

    async def history(self, name: str, limit: int = _SHOWN_POINTS) -> JsonObject:
        """The numbers that a trigger's answers came to, oldest first, by the name of each."""
        await self.get(name)
        rows = await self._db.deliveries.list(name, limit, ran=True)
        points: list[dict[str, Any]] = []
        names: dict[str, None] = {}
        for row in reversed(rows):
            if isinstance(row.value, dict) and row.value:
                names |= dict.fromkeys(row.value)
                points.append(
                    {"at": row.at.isoformat(), "values": row.value, "note": row.note,
                     "run_id": row.run_id, "trace_id": row.trace_id}
                )  # fmt: skip
        return {"trigger": name, "series": list(names), "points": points}  # type: ignore[dict-item]

    async def document(self, trigger: Trigger) -> JsonObject:
        """A trigger as it is shown, with what it has used of its day."""
        spent = await self._db.deliveries.spending(trigger.name, day_of(self._clock.now()))
        today: JsonObject = {"runs": spent.runs, "tokens": spent.tokens, "usd": spent.usd}
        last = await self._db.deliveries.list(trigger.name, 1)
        return {**trigger.to_json(), "today": today, "last": last[0].to_json() if last else None}


def day_of(now: datetime) -> datetime:
    """When the day of a moment began, in UTC."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _with_next(trigger: Trigger, now: datetime) -> Trigger:
    if trigger.kind is not TriggerKind.SCHEDULE:
        return trigger
    tick = next_tick(str(trigger.config["cron"]), str(trigger.config["zone"]), now)
    return replace(trigger, next_at=tick)


class DayBudget:
    def __init__(self, db: Database, clock: Clock, policies: Policies) -> None:
        self._db = db
        self._clock = clock
        self._policies = policies

    async def begin(self, trigger: Trigger, delivery: Delivery) -> Budget | str:
        """The budget of one request, held from the day's; a text says which limit is used up.

        Looked up and held in one transaction: two processes cannot both take what is left.
        """
        limits, policy = trigger.limits, self._policies.get(RequestBudgetPolicy)
        async with self._db.transaction() as stores:
            await stores.triggers.lock(trigger.name)
            since = day_of(self._clock.now())
            spent = await stores.deliveries.spending(trigger.name, since, delivery.id)
            if used_up := spent.exceeded(limits):
                return f"{used_up}; it starts again at midnight UTC"
            left = policy.tokens
            if limits.tokens_a_day is not None:
                left = min(left, limits.tokens_a_day - spent.tokens)
            usd = policy.usd
            if limits.usd_a_day is not None:
                usd = min(usd, limits.usd_a_day - spent.usd)
            await stores.deliveries.change(
                delivery.id, state=DeliveryState.RUNNING, tokens=left, usd=0.0
            )
        return Budget(tokens=left, model_calls=policy.model_calls, steps=policy.steps, usd=usd)
