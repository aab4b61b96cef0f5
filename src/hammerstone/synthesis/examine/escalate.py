"""How much evidence: draw more only while it can change the verdict, then ask, then stop.

Starts with a few candidates and suites. More are drawn while the next ones, if they agree with
the leader, would lift it over the mark, and are not too unlikely to do so. A test author is
asked again when behaviours compete, since voices only count where behaviours differ. What then
is still open is put to the model as an adjudicator, if there is one, and then to the person.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case
from hammerstone.synthesis.examine.adjudicate import Adjudicator
from hammerstone.synthesis.examine.belief import counted
from hammerstone.synthesis.examine.conclude import conclude
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.policy import DEFAULT, DrawLimits, ExaminePolicy
from hammerstone.synthesis.examine.questions import PosedQuestion
from hammerstone.synthesis.examine.sureness import (
    copies,
    is_sure,
    mark_of,
    rival_weight,
    rivals,
    two_readings,
    votes_asked_for,
)
from hammerstone.synthesis.examine.verdict import ExaminationVerdict, ReadingQuestion
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
    ADJUDICATION = "adjudication"
    QUESTION = "question"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class EscalationStep:
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


Ask = Callable[[ReadingQuestion], Awaitable[int | None]]
"""Shows the question; returns the position of the right result, or None: neither."""

OnStep = Callable[[EscalationStep], Awaitable[None]]


async def escalate(
    examination: Examination,
    witnesses: Witnesses,
    policy: ExaminePolicy = DEFAULT,
    *,
    ask: Ask | None = None,
    adjudicator: Adjudicator | None = None,
    on_step: OnStep | None = None,
) -> ExaminationVerdict:
    """Examine until the verdict is clear or the policy's effort is spent."""
    with span(f"examine {examination.function}", kind="step") as traced:
        steps = await gather(
            examination, witnesses, policy, ask=ask, adjudicator=adjudicator, on_step=on_step
        )
        verdict = await conclude(examination, policy, [step.to_json() for step in steps])
        traced.output = {"standing": str(verdict.standing), "confidence": verdict.confidence}
    return verdict


async def gather(
    examination: Examination,
    witnesses: Witnesses,
    policy: ExaminePolicy = DEFAULT,
    *,
    ask: Ask | None = None,
    adjudicator: Adjudicator | None = None,
    on_step: OnStep | None = None,
) -> list[EscalationStep]:
    """Hear witnesses, the adjudicator and the person, for as long as it is worth it."""
    steps: list[EscalationStep] = []
    closed = set[Move]()
    if ask is None:
        closed.add(Move.QUESTION)
    if adjudicator is None:
        closed.add(Move.ADJUDICATION)
    move = Move.CANDIDATES
    while move is not Move.STOP:
        detail = ""
        if move in (Move.QUESTION, Move.ADJUDICATION):
            asked = examination.question()
            if asked is None:
                break
            detail = asked.question.text
            if move is Move.QUESTION and ask:
                await examination.answer(asked, await ask(asked.question))
            elif adjudicator:
                await _adjudicate(examination, asked, adjudicator, policy, closed)
        else:
            suites, codes = await _call(examination, witnesses, policy, move)
            if not suites and not codes:
                closed.add(move)
            await examination.hear(codes, suites)
        step = EscalationStep(
            move, examination.confidence, len(examination.draws), examination.suites, detail
        )
        steps.append(step)
        if on_step:
            await on_step(step)
        move = next_move(examination, policy, closed)
    return steps


async def _adjudicate(
    examination: Examination,
    asked: PosedQuestion,
    adjudicator: Adjudicator,
    policy: ExaminePolicy,
    closed: set[Move],
) -> None:
    votes = await adjudicator.votes(asked.question)
    if votes:
        await examination.adjudge(asked, votes, policy.adjudicator_reliability)
    if not votes or len(examination.adjudged) >= policy.max_adjudications:
        closed.add(Move.ADJUDICATION)


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


def next_move(examination: Examination, policy: ExaminePolicy, closed: Collection[Move]) -> Move:
    """What is worth doing next, of what is not closed."""
    may_ask = Move.QUESTION not in closed and examination.answered.total < policy.max_questions
    rival = rival_weight(examination)
    if is_sure(examination, policy):
        doubtful = rival >= policy.rival_weight or examination.confidence < policy.ask_below
        worth = may_ask and doubtful and not examination.answered.total
        return Move.QUESTION if worth and examination.question() else Move.STOP
    if Move.CANDIDATES not in closed and _worth_drawing(examination, policy):
        enough = examination.confidence >= mark_of(examination, policy)
        contested = rival > policy.contested_weight or (enough and copies(examination, policy))
        if contested and Move.SUITES not in closed and examination.suites < policy.max_suites:
            return Move.SUITES
        return Move.CANDIDATES
    for move in (Move.ADJUDICATION, Move.QUESTION):
        open_one = may_ask if move is Move.QUESTION else move not in closed
        if open_one and examination.question():
            return move
    return Move.STOP


def _room(examination: Examination, policy: DrawLimits) -> int:
    return min(policy.more_candidates, _most(examination, policy) - len(examination.draws))


def _most(examination: Examination, policy: DrawLimits) -> int:
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
    if examination.confidence >= mark:  # and yet not sure: something speaks against it
        if two_readings(examination, policy):
            return _can_outvote(examination, policy, room)
        lonely = features["votes"] < votes_asked_for(examination, policy)
        rivalled = rival_weight(examination) >= policy.equal_weight
        return lonely or rivalled or drawn < policy.min_candidates_untold
    agrees = (features["votes"] + 1) / (drawn + 2)
    for more in range(policy.more_candidates, room + 1, policy.more_candidates):
        if agrees**more < policy.hopeless:
            return False
        hoped = dict(features) | counted(
            drawn + more, features["survivors"] + more, features["votes"] + more, features["rival"]
        )
        if examination.sure_of(hoped) >= mark:
            return True
    return False


def _can_outvote(examination: Examination, policy: ExaminePolicy, room: int) -> bool:
    """Whether further candidates may make those few that took another reading."""
    survivors = len(examination.belief.survivors)
    against = rivals(examination)
    if against > policy.rivals * (survivors + room):
        return False
    missing = against / policy.rivals - survivors
    agrees = (survivors - against + 1) / (survivors + 2)
    return agrees**missing >= policy.hopeless
