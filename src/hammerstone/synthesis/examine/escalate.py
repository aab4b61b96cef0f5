"""How much evidence: draw more only while it can change the verdict, then ask, then stop.

Starts with a few candidates and suites. More are drawn while the next ones, if they agree with
the leader, would lift it over the mark, and are not too unlikely to do so. A test author is
asked again when behaviours compete, since voices only count where behaviours differ. What then
is still open is one question to the person.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case
from hammerstone.synthesis.examine.belief import counted
from hammerstone.synthesis.examine.conclude import conclude, is_sure, mark_of
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.policy import DEFAULT, ExaminePolicy
from hammerstone.synthesis.examine.verdict import Question, Verdict
from hammerstone.tracing import span


class Witnesses(Protocol):
    """Where candidates and suites come from: a model's authors, or a recorded bank.

    Fewer than asked for, down to none, means there are no more.
    """

    async def candidates(self, count: int) -> Sequence[str]: ...

    async def suites(self, count: int) -> Sequence[Sequence[str | Case]]: ...


class Move(StrEnum):
    CANDIDATES = "candidates"
    SUITES = "suites"
    QUESTION = "question"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Step:
    """What was done and what it led to, for events and the record."""

    move: Move
    confidence: float
    candidates: int
    suites: int
    detail: str = ""

    def to_json(self) -> JsonObject:
        return {
            "move": str(self.move),
            "confidence": round(self.confidence, 4),
            "candidates": self.candidates,
            "suites": self.suites,
            "detail": self.detail,
        }


Ask = Callable[[Question], Awaitable[int | None]]
"""Shows the question; returns the position of the right result, or None: neither."""

OnStep = Callable[[Step], Awaitable[None]]


async def escalate(
    examination: Examination,
    witnesses: Witnesses,
    policy: ExaminePolicy = DEFAULT,
    *,
    ask: Ask | None = None,
    on_step: OnStep | None = None,
) -> Verdict:
    """Examine until the verdict is clear or the policy's effort is spent."""
    with span(f"examine {examination.function}", kind="step") as traced:
        steps = await gather(examination, witnesses, policy, ask=ask, on_step=on_step)
        verdict = await conclude(examination, policy, [step.to_json() for step in steps])
        traced.output = {"standing": str(verdict.standing), "confidence": verdict.confidence}
    return verdict


async def gather(
    examination: Examination,
    witnesses: Witnesses,
    policy: ExaminePolicy = DEFAULT,
    *,
    ask: Ask | None = None,
    on_step: OnStep | None = None,
) -> list[Step]:
    """Hear witnesses, and the person, for as long as it is worth it."""
    steps: list[Step] = []
    dry: set[Move] = set()
    move = Move.CANDIDATES
    while move is not Move.STOP:
        detail = ""
        if move is Move.QUESTION:
            asked = examination.question()
            if asked is None or ask is None:
                break
            await examination.answer(asked, await ask(asked.question))
            detail = asked.question.text
        else:
            suites, codes = await _call(examination, witnesses, policy, move)
            if not suites and not codes:
                dry.add(move)
            await examination.hear(codes, suites)
        step = Step(
            move, examination.confidence, len(examination.draws), examination.suites, detail
        )
        steps.append(step)
        if on_step:
            await on_step(step)
        move = next_move(examination, policy, dry, can_ask=ask is not None)
    return steps


async def _call(
    examination: Examination, witnesses: Witnesses, policy: ExaminePolicy, move: Move
) -> tuple[Sequence[Sequence[str | Case]], Sequence[str]]:
    """The next suites and candidates; at the very first some of both."""
    if not examination.draws and not examination.suites:
        suites = await witnesses.suites(policy.first_suites)
        return suites, await witnesses.candidates(policy.first_candidates)
    if move is Move.SUITES:
        return await witnesses.suites(1), ()
    return (), await witnesses.candidates(_room(examination, policy))


def next_move(
    examination: Examination, policy: ExaminePolicy, dry: set[Move], *, can_ask: bool
) -> Move:
    """What is worth doing next."""
    may_ask = can_ask and examination.answered.total < policy.max_questions
    rival = _rival_weight(examination)
    if is_sure(examination, policy):
        plausible = may_ask and rival >= policy.rival_weight and examination.question()
        return Move.QUESTION if plausible else Move.STOP
    if Move.CANDIDATES not in dry and _worth_drawing(examination, policy):
        contested = rival > policy.contested_weight
        if contested and Move.SUITES not in dry and examination.suites < policy.max_suites:
            return Move.SUITES
        return Move.CANDIDATES
    return Move.QUESTION if may_ask and examination.question() else Move.STOP


def _rival_weight(examination: Examination) -> float:
    ranking = examination.belief.ranking
    return ranking[1].weight if len(ranking) > 1 else 0.0


def _room(examination: Examination, policy: ExaminePolicy) -> int:
    return min(policy.more_candidates, _most(examination, policy) - len(examination.draws))


def _most(examination: Examination, policy: ExaminePolicy) -> int:
    if not examination.belief.ranking:
        return policy.max_candidates_unmet
    answered = examination.answered.total > 0
    return policy.max_candidates_answered if answered else policy.max_candidates


def _worth_drawing(examination: Examination, policy: ExaminePolicy) -> bool:
    """Whether further candidates may lift the leader over the mark, and have a chance to."""
    drawn, room = len(examination.draws), _most(examination, policy) - len(examination.draws)
    if room <= 0 or not examination.belief.ranking:
        return room > 0
    features = examination.belief.features
    if features["votes"] < policy.enough_votes and drawn < policy.max_for_votes:
        return True
    mark = mark_of(examination, policy)
    if examination.confidence >= mark:
        return drawn < policy.min_candidates_untold
    agrees = (features["votes"] + 1) / (drawn + 2)
    for more in range(policy.more_candidates, room + 1, policy.more_candidates):
        if agrees**more < policy.hopeless:
            return False
        hoped = dict(features) | counted(
            drawn + more, features["survivors"] + more, features["votes"] + more
        )
        if examination.calibration.probability(hoped) >= mark:
            return True
    return False
