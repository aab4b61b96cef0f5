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
from hammerstone.synthesis.examine.conclude import conclude
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.policy import ExaminePolicy
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
    policy: ExaminePolicy = ExaminePolicy(),  # noqa: B008
    *,
    ask: Ask | None = None,
    on_step: OnStep | None = None,
) -> Verdict:
    """Examine until the verdict is clear or the policy's effort is spent."""
    steps: list[Step] = []
    dry: set[Move] = set()

    async def note(move: Move, detail: str = "") -> None:
        step = Step(
            move, examination.confidence, len(examination.draws), examination.suites, detail
        )
        steps.append(step)
        if on_step:
            await on_step(step)

    with span(f"examine {examination.function}", kind="step") as traced:
        suites = await witnesses.suites(policy.first_suites)
        codes = await witnesses.candidates(policy.first_candidates)
        await examination.hear(codes, suites)
        await note(Move.CANDIDATES)
        while (move := next_move(examination, policy, dry, can_ask=ask is not None)) != Move.STOP:
            if move is Move.CANDIDATES:
                codes = await witnesses.candidates(_room(examination, policy))
                dry |= {move} if not codes else set()
                await examination.hear(codes)
                await note(move)
            elif move is Move.SUITES:
                suites = await witnesses.suites(policy.more_suites)
                dry |= {move} if not suites else set()
                await examination.hear((), suites)
                await note(move)
            else:
                asked = examination.question()
                if asked is None or ask is None:
                    break
                chosen = await ask(asked.question)
                await examination.answer(asked, chosen)
                await note(move, asked.question.text)
        verdict = await conclude(examination, policy, [step.to_json() for step in steps])
        traced.output = {"standing": str(verdict.standing), "confidence": verdict.confidence}
    return verdict


def next_move(
    examination: Examination, policy: ExaminePolicy, dry: set[Move], *, can_ask: bool
) -> Move:
    """What is worth doing next."""
    if examination.confidence >= policy.verified_at:
        return Move.STOP
    if Move.CANDIDATES not in dry and _worth_drawing(examination, policy):
        contested = _contested(examination)
        if contested and Move.SUITES not in dry and examination.suites < policy.max_suites:
            return Move.SUITES
        return Move.CANDIDATES
    may_ask = can_ask and examination.answers < policy.max_questions
    return Move.QUESTION if may_ask and examination.question() else Move.STOP


def _room(examination: Examination, policy: ExaminePolicy) -> int:
    return min(policy.more_candidates, policy.max_candidates - len(examination.draws))


def _worth_drawing(examination: Examination, policy: ExaminePolicy) -> bool:
    """Whether the next candidates may lift the leader over the mark, and have a chance to."""
    more = _room(examination, policy)
    if more <= 0:
        return False
    belief = examination.belief
    if not belief.ranking:
        return True
    hoped = dict(belief.features)
    drawn, votes = hoped["drawn"] + more, hoped["votes"] + more
    hoped |= belief_after(hoped, drawn, votes)
    if examination.calibration.probability(hoped) < policy.verified_at:
        remaining = policy.max_candidates - len(examination.draws)
        return remaining > more and not belief.ranking
    agrees = (belief.features["votes"] + 1) / (belief.features["drawn"] + 2)
    return agrees**more >= policy.hopeless


def belief_after(features: dict[str, float], drawn: float, votes: float) -> dict[str, float]:
    """The features if all further draws agree with the leader."""
    import math

    return {
        "drawn": drawn,
        "votes": votes,
        "share": math.log((votes + 0.5) / (drawn - votes + 0.5)),
        "margin": math.log((votes + 0.5) / (features["rival"] + 0.5)),
        "size": math.log(drawn),
    }


def _contested(examination: Examination) -> bool:
    ranking = examination.belief.ranking
    return len(ranking) > 1 and ranking[1].weight > 0.2
