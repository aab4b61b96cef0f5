"""The numbers that are kept of answers, and the note when one is unusual."""

from typing import Any

from hammerstone.app.triggers.sent_answer import SentAnswer
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.core.answers import AnswerStatus
from hammerstone.core.json_types import Json
from hammerstone.core.triggers import Delivery, Trigger, TriggerKind
from hammerstone.judging.series import WHOLE, UnusualValue, numbers_of, unusual
from hammerstone.library.policies import Policies
from hammerstone.run.services import Records

_LOOKED_BACK = 200
_SHOWN_REASON = 500


class UnusualNotes:
    def __init__(self, records: Records, policies: Policies) -> None:
        self._records = records
        self._policies = policies

    def kept(self, answer: SentAnswer) -> Json:
        """The numbers of an answer, where nothing in them is private; else None."""
        if answer.status is not AnswerStatus.DONE:
            return None
        numbers: dict[str, Any] = numbers_of(answer.result)
        return numbers if numbers and self._records.storable(numbers) else None

    def storable_text(self, text: str) -> str:
        return self._records.clean_text(text[:_SHOWN_REASON])

    async def about(self, trigger: Trigger, delivery: Delivery, answer: SentAnswer) -> str:
        """What is unusual about a schedule's new numbers, in words; empty when nothing is."""
        numbers = self.kept(answer)
        if trigger.kind is not TriggerKind.SCHEDULE or not isinstance(numbers, dict):
            return ""
        policy = self._policies.get(TriggerPolicy)
        rows = await self._records.db.deliveries.list(trigger.name, _LOOKED_BACK, ran=True)
        earlier = [row.value for row in rows if row.id != delivery.id]
        found: list[UnusualValue] = []
        for name, value in numbers.items():
            before = [float(one[name]) for one in earlier if isinstance(one, dict) and name in one]  # type: ignore[arg-type]
            one = unusual(
                name, before, float(value),  # type: ignore[arg-type]
                after=policy.unusual_after, spread=policy.unusual_spread,
            )  # fmt: skip
            found += [one] if one else []
        return " ".join(map(_in_words, found))


def _in_words(found: UnusualValue) -> str:
    what = "This value" if found.name == WHOLE else f"The value of {found.name}"
    return (
        f"{what} is unusual: {found.value:g}, where the middle of the last {found.of} "
        f"is {found.middle:g}."
    )
