"""How sure an answer is: agreement of solutions, or tool, fit and arguments together."""

from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.core.answers import Sureness
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Status, Tool
from hammerstone.judging.rendering import plain
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.solve.answer_policy import AnswerPolicy

_SHOWN = 4  # other results that are told
_MOST_SURE = 0.99  # that solutions are believed to be
_YES_OR_NO = 2.0  # how much likelier a tool fits that agrees in a yes or no
_MANY, _LONG = 1000, 4  # a whole number from here on, and a text or list, is hardly met by chance


@dataclass(frozen=True, slots=True)
class AnswerConfidence:
    """The chance that an answer is right, the word for it, and what it rests on."""

    confidence: float
    sureness: Sureness
    why: str
    agree: int = 0
    solutions: int = 0
    alternatives: tuple[JsonObject, ...] = ()


def confidence_of(steps: Sequence[StepOutcome], policy: AnswerPolicy) -> AnswerConfidence:
    """The confidence of a plan that was carried out: a chain is as sure as its links together."""
    confidence = 1.0
    for step in steps:
        confidence *= believed(step, policy)
    weakest = min(steps, key=lambda step: believed(step, policy))
    sureness = sureness_of(confidence, policy)
    solved = weakest.solved
    if solved is None or solved.tally is None:
        return AnswerConfidence(confidence, sureness, _why(weakest))
    others = [{**other, "value": plain(other["value"])} for other in solved.tally.alternatives]
    why = solved.why if weakest.tool is None else _why(weakest)
    tally = solved.tally
    return AnswerConfidence(
        confidence, sureness, why, tally.agree, tally.total, tuple(others[:_SHOWN])
    )


def sureness_of(confidence: float, policy: AnswerPolicy) -> Sureness:
    """The word for a confidence."""
    if confidence >= policy.sure_at:
        return Sureness.SURE
    return Sureness.LIKELY if confidence >= policy.likely_at else Sureness.UNSURE


def believed(step: StepOutcome, policy: AnswerPolicy) -> float:
    """The chance that one step's result is right."""
    if step.tool is None and step.solved is None and step.skill is not None:
        sure = policy.unknown_tool * step.fit
        return sure if step.certain_arguments else sure * policy.read_arguments
    if step.tool is None:
        return step.solved.confidence if step.solved else 0.0
    sure = _tool_confidence(step, step.tool, policy) * _fit(step, policy)
    if not step.certain_arguments:
        sure *= policy.read_arguments
    sure = sure * policy.doubtful if step.doubt else sure
    return _outvoted(sure, step) if step.outvoted else sure


def _outvoted(sure: float, step: StepOutcome) -> float:
    """The chance that a tool is right where solutions gave another value: one of the two at most
    can be."""
    other = step.solved.confidence if step.solved else 0.0
    neither = (1 - sure) * (1 - other)
    return sure * (1 - other) / (sure * (1 - other) + other * (1 - sure) + neither)


def _tool_confidence(step: StepOutcome, tool: Tool, policy: AnswerPolicy) -> float:
    """The chance that the tool's code is right: likelier where solutions agree, as much as they
    are believed themselves."""
    chance = policy.unknown_tool if tool.chance is None else tool.chance
    if not step.agrees or step.solved is None:
        return chance
    sure = min(step.solved.confidence, _MOST_SURE)
    return likelier(chance, max(1.0, sure / (1 - sure)))


def _fit(step: StepOutcome, policy: AnswerPolicy) -> float:
    """The chance that the tool is the right one, after an independent solution agreed or not."""
    if not step.agrees:
        return step.fit
    if isinstance(step.result, bool):
        return likelier(step.fit, _YES_OR_NO)
    telling = _is_telling(step.result)
    return likelier(step.fit, policy.telling_odds if telling else policy.agreement_odds)


def _is_telling(value: Json) -> bool:
    """Whether hardly any two programs come to the same value by chance."""
    if isinstance(value, int | float):
        return not float(value).is_integer() or abs(value) >= _MANY
    return value is not None and len(value) >= _LONG


def likelier(chance: float, times: float) -> float:
    """A chance after evidence that is so many times likelier where it is true."""
    odds = times * chance / max(1e-6, 1 - chance)
    return odds / (1 + odds)


def _why(step: StepOutcome) -> str:
    tool = step.tool
    if tool is None and step.skill is not None:
        meant = f", and it is {step.fit:.0%} likely the right skill" if step.fit < 1 else ""
        return f"the steps come from the skill {step.skill.name}; the result was not checked{meant}"
    if tool is None:
        return step.error
    proved = tool.status in (Status.VERIFIED, Status.TRUSTED)
    what = f"{tool.name} is {'proved' if proved else 'not proved yet'}"
    if step.agrees:
        return f"{what}, and a new solution gives the same result"
    if step.outvoted:
        return f"{what}, and new solutions give other results"
    return f"{what}, and it is {step.fit:.0%} likely the right tool" if step.fit < 1 else what
