"""Why a failed run failed, from its record: the first rule with evidence decides.

Arithmetic, dates and calls to the outside are always a skill: no wording makes a model compute.
Where no rule has evidence the cause is unknown, and only then a model may be asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hammerstone.learn.evolution.judges.causes import (
    ALWAYS_SKILL,
    FailureClass,
    FailureFinding,
    RootCause,
)
from hammerstone.learn.evolution.judges.program_traits import ProgramTraits, read_program
from hammerstone.learn.evolution.judges.run_facts import RunErrorKind, RunFacts
from hammerstone.learn.evolution.judges.scoring import RunScore

_OWN_STEPS = frozenset(
    {RunErrorKind.LIMIT, RunErrorKind.LOOP, RunErrorKind.FLOW, RunErrorKind.SANDBOX,
     RunErrorKind.INSIDE}
)  # fmt: skip
_CLASSES = {
    RootCause.INSTRUCTIONS: FailureClass.PROMPT,
    RootCause.WRONG_TOOL: FailureClass.BOTH,
    RootCause.MISSING_TOOL: FailureClass.SKILL,
    RootCause.BROKEN_TOOL: FailureClass.SKILL,
    RootCause.MISSING_KNOWLEDGE: FailureClass.OTHER,
    RootCause.HARNESS: FailureClass.OTHER,
    RootCause.OUTAGE: FailureClass.OTHER,
    RootCause.UNKNOWN: FailureClass.OTHER,
}
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class CauseGuess:
    """A cause with how sure the rule is, and what it saw."""

    cause: RootCause
    confidence: float
    why: str
    evidence: tuple[str, ...] = ()
    both: bool = False  # the words to the model are to blame as well


def class_of(cause: RootCause, both: bool = False) -> FailureClass:
    """What has to change for a cause."""
    if cause in ALWAYS_SKILL:
        return FailureClass.SKILL
    kind = _CLASSES[cause]
    return FailureClass.BOTH if both and kind is FailureClass.SKILL else kind


def classify(facts: RunFacts, score: RunScore) -> FailureFinding:
    """The finding about a failed run."""
    guess = next(filter(None, (rule(facts) for rule in _RULES)), _unknown(facts))
    return finding(facts, score, guess)


def finding(facts: RunFacts, score: RunScore, guess: CauseGuess) -> FailureFinding:
    """A guess about a run as what is stored and shown."""
    return FailureFinding(
        run_id=facts.run_id,
        kind=class_of(guess.cause, guess.both),
        cause=guess.cause,
        why=guess.why,
        evidence=guess.evidence,
        case=facts.case,
        trace_id=facts.trace_id,
        score=score.score,
        confidence=guess.confidence,
        request=facts.request,
        given=facts.given,
        wanted=facts.wanted,
        domain=facts.domain,
        tool=facts.tool or next((call.tool for call in facts.calls if not call.ok), ""),
        prompt="solve" if facts.solutions or facts.programs else "",
    )


def _count(facts: RunFacts, *kinds: RunErrorKind) -> int:
    return sum(error.kind in kinds for error in facts.errors)


def _texts(facts: RunFacts, *kinds: RunErrorKind) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(f"{e.kind}: {e.text}"[:200] for e in facts.errors if e.kind in kinds)
    )


def _outage(facts: RunFacts) -> CauseGuess | None:
    if facts.answered or not _count(facts, RunErrorKind.MODEL):
        return None
    told = _texts(facts, RunErrorKind.MODEL)
    return CauseGuess(RootCause.OUTAGE, 0.95, "the model could not be reached", told)


def _own_steps(facts: RunFacts) -> CauseGuess | None:
    if not _count(facts, *_OWN_STEPS):
        return None
    told = _texts(facts, *_OWN_STEPS)
    return CauseGuess(RootCause.HARNESS, 0.85, "a step of the product itself failed", told)


def _lost_values(facts: RunFacts) -> CauseGuess | None:
    """Programs that are there and whose values are not: they got lost in the product."""
    if facts.programs_again is False:
        told = (f"no program gives {facts.given!r} when it is run again"[:200],)
        return CauseGuess(RootCause.HARNESS, 0.8, "the answer is no program's value", told)
    troubled = _count(facts, RunErrorKind.PROGRAM, RunErrorKind.REPLY, RunErrorKind.SERVICE)
    if facts.answered or facts.asked_back or not facts.programs or troubled:
        return None
    count = len(facts.programs)
    written = "1 program was written" if count == 1 else f"{count} programs were written"
    told = (f"{written}, and none has a value or an error",)
    return CauseGuess(RootCause.HARNESS, 0.7, "values got lost in the product", told)


def _outside(facts: RunFacts) -> CauseGuess | None:
    told = _texts(facts, RunErrorKind.SERVICE)
    reaching = [p for p in facts.programs if read_program(p, facts.request).outside]
    if not told and not reaching:
        return None
    seen = told or ("a program that was written for it needs the network",)
    return CauseGuess(RootCause.OUTSIDE_CALL, 0.9, "something outside was needed", seen)


def _unreadable(facts: RunFacts) -> CauseGuess | None:
    replies = _count(facts, RunErrorKind.REPLY)
    whole = max(facts.solutions, replies)
    if not replies or replies < whole * _MOSTLY:
        return None
    told = (f"{replies} of {whole} replies could not be read", *_texts(facts, RunErrorKind.REPLY))
    return CauseGuess(
        RootCause.INSTRUCTIONS, 0.85, "the model did not answer in the form it was told", told
    )


def _failed_call(facts: RunFacts) -> CauseGuess | None:
    failed = [call for call in facts.calls if not call.ok]
    if not failed:
        return None
    told = tuple(f"{call.tool} failed: {call.failure} {call.error}"[:200] for call in failed[:3])
    if facts.assumed and facts.right_tool is not False:
        why = "the tool was called with values that the request does not state"
        return CauseGuess(RootCause.BROKEN_TOOL, 0.6, why, told, both=True)
    return CauseGuess(RootCause.BROKEN_TOOL, 0.8, f"{failed[0].tool} failed", told)


def _other_form(facts: RunFacts) -> CauseGuess | None:
    wanted, given = (" ".join(text.casefold().split()) for text in (facts.wanted, facts.given))
    if not wanted or not given or wanted == given:
        return None
    spelled = f" {wanted} " in f" {given} " or f" {given} " in f" {wanted} "
    if not spelled:
        return None
    told = (f"wanted {facts.wanted!r}, given {facts.given!r}"[:200],)
    return CauseGuess(RootCause.INSTRUCTIONS, 0.7, "the right answer is there in other words", told)


def _unsupported(facts: RunFacts) -> CauseGuess | None:
    if not facts.unsupported:
        return None
    told = ("no document that was added holds the answer",)
    return CauseGuess(RootCause.MISSING_KNOWLEDGE, 0.9, "the fact is nowhere to be found", told)


def _tool_choice(facts: RunFacts) -> CauseGuess | None:
    if facts.right_tool is None or not facts.calls:
        return None
    used = ", ".join(dict.fromkeys(call.tool for call in facts.calls))
    if not facts.right_tool:
        return CauseGuess(
            RootCause.WRONG_TOOL, 0.8, "another tool was meant", (f"{used} was used",)
        )
    if facts.assumed:
        told = (f"the model chose {', '.join(facts.assumed)}",)
        return CauseGuess(RootCause.INSTRUCTIONS, 0.7, "the request was misread", told)
    return CauseGuess(
        RootCause.BROKEN_TOOL, 0.75, "the right tool gave a wrong value", (f"{used} was used",)
    )


def _programs(facts: RunFacts) -> CauseGuess | None:
    traits = [read_program(source, facts.request) for source in facts.programs]
    traits = [one for one in traits if one.readable]
    if not traits:
        return None
    stating = _share(traits, lambda one: one.states_facts)
    if stating >= _MOSTLY:
        words = ", ".join(dict.fromkeys(w for one in traits for w in one.own_facts))[:150]
        told = (f"{stating:.0%} of the programs state facts that the request does not: {words}",)
        return CauseGuess(
            RootCause.MISSING_KNOWLEDGE, 0.6, "the programs state facts by themselves", told
        )
    for cause, has in _KINDS:
        share = _share(traits, has)
        if share >= _MOSTLY:
            told = (f"{share:.0%} of {len(traits)} programs are {cause}", _agreement(facts))
            why = f"no tool was there, and the programs for it ({cause}) are wrong"
            return CauseGuess(cause, 0.6 + 0.2 * share, why, told)
    told = (_agreement(facts),)
    return CauseGuess(RootCause.MISSING_TOOL, 0.5, "no tool was there for it", told)


_KINDS: tuple[tuple[RootCause, Callable[[ProgramTraits], bool]], ...] = (
    (RootCause.DATES, lambda one: one.dates),
    (RootCause.ARITHMETIC, lambda one: one.arithmetic),
)


def _misread(facts: RunFacts) -> CauseGuess | None:
    if not facts.assumed:
        return None
    told = (f"the model chose {', '.join(facts.assumed)}",)
    return CauseGuess(RootCause.INSTRUCTIONS, 0.55, "the request was misread", told)


def _no_program(facts: RunFacts) -> CauseGuess | None:
    """Nothing was computed and no tool was used: what it said, it claims to know."""
    if not facts.answered or facts.calls or facts.programs:
        return None
    return CauseGuess(
        RootCause.MISSING_KNOWLEDGE, 0.55, "it answered by heart", ("no tool and no program ran",)
    )


def _share(traits: Sequence[ProgramTraits], has: Callable[[ProgramTraits], bool]) -> float:
    return sum(map(has, traits)) / len(traits)


def _agreement(facts: RunFacts) -> str:
    return f"{facts.agree} of {facts.solutions} programs gave the value that was answered"


def _unknown(facts: RunFacts) -> CauseGuess:
    return CauseGuess(RootCause.UNKNOWN, 0.0, "the record does not tell why")


_RULES: tuple[Callable[[RunFacts], CauseGuess | None], ...] = (
    _outage,
    _own_steps,
    _lost_values,
    _outside,
    _unreadable,
    _unsupported,
    _failed_call,
    _other_form,
    _tool_choice,
    _programs,
    _misread,
    _no_program,
)
