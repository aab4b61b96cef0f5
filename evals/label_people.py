"""People who react to answers, simply: what they notice, say and do. A part of `evals/labels.py`.

The model, for each answer. A person notices a wrong answer in 6 of 10 cases, and then states the
right value (30 %), says that it is wrong (20 %), asks the same in other words (30 %), picks the
other of two results where one is offered (10 %), or gives up (10 %). A wrong answer that nobody
notices is treated like a right one. With an answer that counts as right, a person goes on (70 %),
works with the value (14 %), says that it is right (5 %), asks the same words again another day
(5 %), or is mistaken: asks again (3 %), calls it wrong (2 %), gives up (1 %).
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.core.json_types import Json
from hammerstone.learn.feedback.implicit_feedback import implied
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Execution

NOTICES = 0.6
AFTER_WRONG = {
    FeedbackKind.CORRECTED: 0.3,
    FeedbackKind.REFUSED: 0.2,
    FeedbackKind.ASKED_AGAIN: 0.3,
    FeedbackKind.PASSED_OVER: 0.1,
    FeedbackKind.ABANDONED: 0.1,
}
AFTER_RIGHT = {
    FeedbackKind.UNOPPOSED: 0.7,
    FeedbackKind.BUILT_ON: 0.14,
    FeedbackKind.CONFIRMED: 0.05,
    FeedbackKind.REPEATED: 0.05,
    FeedbackKind.ASKED_AGAIN: 0.03,
    FeedbackKind.REFUSED: 0.02,
    FeedbackKind.ABANDONED: 0.01,
}
BEGAN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_SAID_OUT = (FeedbackKind.CORRECTED, FeedbackKind.REFUSED, FeedbackKind.CONFIRMED)
_NOTED = (*_SAID_OUT, FeedbackKind.PASSED_OVER, FeedbackKind.ABANDONED)


@dataclass(frozen=True)
class Attempt:
    """One answer to a request: the value, whether it is right, and whether it failed."""

    value: Json
    right: bool
    failed: bool = False


@dataclass(frozen=True)
class Asked:
    """A request with the answers that the product would give, one after the other."""

    id: str
    text: str
    attempts: tuple[Attempt, ...]
    others: tuple[Attempt, ...] = ()  # of independent solutions

    def checked(self, attempt: Attempt) -> FeedbackKind | None:
        """What independent solutions say about an answer: the first one agrees, or all of them
        agree on another value."""
        values = [other.value for other in self.others if not other.failed]
        if attempt.failed or not values:
            return None
        if values[0] == attempt.value:
            return FeedbackKind.AGREED
        alike = all(value == values[0] for value in values)
        return FeedbackKind.OUTVOTED if alike and len(values) > 1 else None


@dataclass
class Person:
    """Who asks; `always` is what somebody who games the signal says whatever the answer is."""

    name: str
    draw: random.Random
    always: FeedbackKind | None = None
    log: list[Feedback] = field(default_factory=list[Feedback])
    now: datetime = BEGAN
    runs: int = 0

    def session(self, asked: Sequence[Asked], policy: FeedbackPolicy) -> dict[str, Attempt]:
        """Ask one after the other and react; the truth about each run."""
        truth: dict[str, Attempt] = {}
        session = f"{self.name}-{self.runs}"
        repeated: list[tuple[Asked, Attempt]] = []
        taken = ""
        for one in asked:
            attempt = one.attempts[0]
            run = self._answered(one, one.text, attempt, session, policy, taken)
            truth[run] = attempt
            taken = ""
            kind = self._reaction(attempt)
            if kind is FeedbackKind.BUILT_ON:
                taken = run
            elif kind is FeedbackKind.REPEATED:
                repeated.append((one, attempt))
            elif kind is FeedbackKind.ASKED_AGAIN:
                again = one.attempts[1]
                words = f"I mean the following: {one.text}"
                truth[self._answered(one, words, again, session, policy)] = again
            elif kind in _NOTED:
                self._note(run, session, kind, policy)
        for one, attempt in repeated:
            self.now += timedelta(days=1)
            truth[self._answered(one, one.text, attempt, f"{session}-later", policy)] = attempt
        return truth

    def _reaction(self, attempt: Attempt) -> FeedbackKind:
        if self.always is not None:
            return self.always
        wrong = not attempt.right and self.draw.random() < NOTICES
        table: Mapping[FeedbackKind, float] = AFTER_WRONG if wrong else AFTER_RIGHT
        return self.draw.choices(list(table), list(table.values()))[0]

    def _answered(
        self,
        one: Asked,
        text: str,
        attempt: Attempt,
        session: str,
        policy: FeedbackPolicy,
        taken: str = "",
    ) -> str:
        """An answer, and what the product reads from it about the ones before, by its own rule."""
        self.now += timedelta(seconds=60)
        self.runs += 1
        run = f"{self.name}/{self.runs}"
        words = f"{self.name} {text}"
        use = Feedback(
            FeedbackKind.USED, run, session, self.name, self.now, one.id, "v", text, words,
            attempt.value,
        )  # fmt: skip
        new = [use]
        if (checked := one.checked(attempt)) is not None:
            new.append(self._about(use, checked, policy))
        if attempt.failed:
            new.append(self._about(use, FeedbackKind.FAILED, policy))
        calls = [_call(run, session, taken, self.now)] if taken else []
        self.log += implied(list(reversed(self.log)), new, calls, policy, self.now)
        self.log += new
        return run

    def _note(self, run: str, session: str, kind: FeedbackKind, policy: FeedbackPolicy) -> None:
        use = next(e for e in self.log if e.run_id == run and e.kind is FeedbackKind.USED)
        event = self._about(use, kind, policy)
        if kind in _SAID_OUT:
            said = [e.kind for e in self.log if e.kind in _SAID_OUT]
            worth = policy.worth_of_word(kind, said, self.runs)
            event = Feedback(**{**_fields(event), "reliability": worth})
        self.log.append(event)

    def _about(self, use: Feedback, kind: FeedbackKind, policy: FeedbackPolicy) -> Feedback:
        more = {"kind": kind, "reliability": policy.worth(kind)}
        return Feedback(**{**_fields(use), **more})


def _fields(event: Feedback) -> dict[str, object]:
    return {name: getattr(event, name) for name in Feedback.__slots__}


def _call(run: str, session: str, taken: str, at: datetime) -> Execution:
    sources: dict[str, Json] = {"x": {"run": taken, "step": 1}}
    return Execution(f"{run} 1", run, session, 1, "t", "v", {}, None, True, at, sources=sources)
