"""What a trigger may still spend today, held for a request before it begins."""

from hammerstone.app.triggers.triggerbook import day_of
from hammerstone.core.clock import Clock
from hammerstone.core.triggers import Delivery, DeliveryState, Trigger
from hammerstone.guard.budget import Budget
from hammerstone.library.policies import Policies, RequestBudgetPolicy
from hammerstone.storage import Database


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
