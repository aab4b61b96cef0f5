"""How much evidence: draw what moves the verdict most for its price, and stop when nothing can.

Starts with a few candidates and suites. Then each further step is weighed: how likely it is to
lift the confidence over the mark, divided by what it costs in tokens. A candidate counts where it
agrees; a test author where a second reading is open or all candidates are one program; then
the model as an adjudicator. A person is asked last, when nothing cheaper can settle it. The loop
is the same for live authors, for recorded banks and for solutions that exist already.
"""

import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Protocol

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case
from hammerstone.synthesis.examine.adjudicate import Adjudicator
from hammerstone.synthesis.examine.belief.belief import counted
from hammerstone.synthesis.examine.conclude import conclude
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.questions import PosedQuestion
from hammerstone.synthesis.examine.verdict import (
    DEFAULT,
    Choice,
    ExaminationVerdict,
    ExaminePolicy,
    ReadingQuestion,
)
from hammerstone.tracing import span


class Witnesses(Protocol):
    """Where candidates and suites come from: a model's authors, or a recorded bank.

    Fewer than asked for, down to none, means there are no more.
    """

    async def candidates(self, count: int) -> Sequence[str]: ...

    async def suites(self, count: int) -> Sequence[Sequence[str | Case]]: ...


MORE = 2  # candidates that are drawn at a time
UNMET = 8  # candidates that are drawn while none meets the examples
RIGHT_ASSERTS = 0.46  # of the asserts that a test author of the embedded model writes
UPHELD = 0.94  # of the right leaders, that the answer to the best question upholds
MAX_ADJUDICATIONS = 1


class Move(StrEnum):
    CANDIDATES = "candidates"
    SUITES = "suites"
    ADJUDICATION = "adjudication"
    QUESTION = "question"
    STOP = "stop"


TOKENS = {Move.CANDIDATES: 130, Move.SUITES: 300, Move.ADJUDICATION: 500, Move.QUESTION: 5000}
"""What a step costs: one candidate, one suite, one round of votes; a person's time in the same
coin, so that cheaper ways are tried first."""

LAST_RESORT = 1e-9  # worth of what cannot settle it alone and may still bring another leader


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
            **asdict(self),
            "move": str(self.move),
            "confidence": round(self.confidence, 4),
        }


Ask = Callable[[ReadingQuestion], Awaitable[Choice]]
"""Shows the question and returns what the person said."""

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
            suites, codes = await _call(examination, witnesses, policy, move if steps else None)
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
    if not votes or len(examination.adjudged) >= MAX_ADJUDICATIONS:
        closed.add(Move.ADJUDICATION)


async def _call(
    examination: Examination, witnesses: Witnesses, policy: ExaminePolicy, move: Move | None
) -> tuple[Sequence[Sequence[str | Case]], Sequence[str]]:
    """The next suites and candidates; at the very first, without a move, some of both."""
    if move is None:
        suites = await witnesses.suites(policy.first_suites)
        return suites, await witnesses.candidates(policy.first_candidates)
    if move is Move.SUITES:
        return await witnesses.suites(1), ()
    room = policy.max_candidates - len(examination.draws)
    return (), await witnesses.candidates(min(MORE, room))


def next_move(examination: Examination, policy: ExaminePolicy, closed: Collection[Move]) -> Move:
    """What is worth most per token, of what is not closed; a stop where nothing is worth it."""
    if examination.belief.ranking and examination.confidence >= policy.verified_at:
        return Move.STOP
    worths = {
        move: chance(examination, policy) / TOKENS[move]
        for move, chance in _CHANCES.items()
        if move not in closed
    }
    for move in sorted(worths, key=lambda one: -worths[one]):
        if worths[move] <= 0:
            break
        asks = move in (Move.QUESTION, Move.ADJUDICATION)
        if not asks or examination.question():
            return move
    return Move.STOP


def _by_candidates(examination: Examination, policy: ExaminePolicy) -> float:
    """The chance that further candidates lift the leader over the mark, for each of them."""
    drawn = len(examination.draws)
    room = policy.max_candidates - drawn
    if not examination.belief.ranking:
        return LAST_RESORT if drawn + MORE <= min(UNMET, policy.max_candidates) else 0.0
    features = examination.belief.features
    agrees = (features["votes"] + 1) / (drawn + 2)
    for more in range(MORE, room + 1, MORE):
        if agrees**more < policy.hopeless:
            return 0.0
        if _hoped(examination, more) >= policy.verified_at:
            return agrees**more / more
    return 0.0


def _hoped(examination: Examination, more: int = 0, **changed: float) -> float:
    """The confidence if so many further candidates agree and other features change."""
    features = examination.belief.features
    counts = counted(
        features["drawn"] + more,
        features["survivors"] + more,
        features["votes"] + more,
        features["contested"],
    )
    return examination.sure_of({**features, **counts, **changed})


def _by_suite(examination: Examination, policy: ExaminePolicy) -> float:
    """The chance that another test author settles it: by siding with the leader where readings
    differ, or by expecting all that one program does."""
    if not examination.belief.ranking or examination.suites >= policy.max_suites:
        return 0.0
    hoped = _hoped(examination, second_reading=0.0, one_program=0.0)
    return examination.confidence * RIGHT_ASSERTS if hoped >= policy.verified_at else 0.0


def _by_adjudication(examination: Examination, policy: ExaminePolicy) -> float:
    if not examination.belief.ranking:
        return 0.0
    said = math.log(policy.adjudicator_reliability / (1 - policy.adjudicator_reliability))
    leaning = examination.belief.features["adjudged"] + said
    hoped = _hoped(examination, adjudged=leaning)
    sure = hoped >= policy.verified_at
    return examination.confidence * policy.adjudicator_reliability if sure else 0.0


def _by_question(examination: Examination, policy: ExaminePolicy) -> float:
    """The chance that a person's answer settles it. It is asked even where it cannot: it may
    bring another leader, and it stays with the tool as a case."""
    if examination.answered.total >= policy.max_questions:
        return 0.0
    if not examination.belief.ranking:
        return LAST_RESORT
    upheld = examination.belief.features["upheld"] + 1
    hoped = _hoped(examination, upheld=upheld, second_reading=0.0)
    settles = hoped >= policy.verified_at
    return examination.confidence * UPHELD if settles else LAST_RESORT


_CHANCES: dict[Move, Callable[[Examination, ExaminePolicy], float]] = {
    Move.CANDIDATES: _by_candidates,
    Move.SUITES: _by_suite,
    Move.ADJUDICATION: _by_adjudication,
    Move.QUESTION: _by_question,
}
