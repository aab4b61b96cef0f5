"""How sure an answer is: the calibrated chance that the leading value is right, and why."""

import json
import math
from collections.abc import Sequence

from hammerstone.core.json_types import Json
from hammerstone.judging.meaning import Number, meaning_of
from hammerstone.judging.rendering import in_words
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import AnswerCalibration, shipped
from hammerstone.run.solve.evidence import SolutionEvidence
from hammerstone.run.solve.votes import AnswerGroup, Tally, can_change

_SHOWN = 60  # characters of a value in a reason


def features_of(tally: Tally) -> dict[str, float]:
    """What sureness is learned from: agreement, its rivals, and the evidence for the leader."""
    leader = tally.leader
    if leader is None:
        return {}
    votes = [group.votes for group in tally.groups]
    failed = tally.total - tally.ran
    second = votes[1] if len(votes) > 1 else 0.0
    others = tally.total - leader.agree
    return {
        "share": leader.agree / tally.total,
        "odds": math.log((leader.agree + 0.5) / (others + 0.5)),
        "unanimous": float(others == 0),
        "lead": (votes[0] - second) / sum(votes),
        "failed": failed / tally.total,
        "found": _mean(leader, "found"),
        "used": _mean(leader, "used"),
        "reckoned": _mean(leader, "reckoned"),
        "plain": _mean(leader, "plain"),
        "momentary": _mean(leader, "momentary"),
        "empty": _mean(leader, "empty"),
        "greedy": max(one.greedy for one in leader.evidence),
        "copied": _mean(leader, "copied"),
    }


def _mean(group: AnswerGroup, name: str) -> float:
    found: Sequence[SolutionEvidence] = group.evidence
    return sum(getattr(one, name) for one in found) / len(found)


def answer_confidence(tally: Tally, calibration: AnswerCalibration | None = None) -> float:
    """The chance that the leading value is right; 0 where there is none.

    At most even where as many solutions gave another value: two values cannot both be likelier
    than not, and only the weights tell them apart.
    """
    if tally.leader is None:
        return 0.0
    model = (calibration or shipped()).for_size(tally.total)
    chance = model.probability(features_of(tally))
    is_tied = any(group.agree >= tally.agree for group in tally.groups[1:])
    return min(chance, 0.5) if is_tied else chance


def worth_more(tally: Tally, confidence: float, policy: AnswerPolicy) -> bool:
    """Whether to wait for more solutions: they can change the answer, and it is unsure."""
    left = policy.max_solutions - tally.total
    return confidence < policy.stop_at and can_change(tally, left)


def is_settled(tally: Tally, policy: AnswerPolicy) -> bool:
    """Whether the value stands: more solutions may make it surer, hardly another one."""
    seen = tally.total > policy.first
    return seen and tally.agree >= policy.settled_share * tally.total


def reason_for(tally: Tally) -> str:
    """Why an answer is as sure as it is, in one line for people."""
    leader = tally.leader
    if leader is None:
        return f"none of {tally.total} solutions gave a result" if tally.total else ""
    if tally.total == 1:
        return "only one solution so far"
    rivals = tally.groups[1:]
    if leader.agree * 2 > tally.total or not rivals:
        return f"{leader.agree} of {tally.total} independent solutions agree"
    shown = _side_by_side(leader.value, rivals[0].value)
    said = [_says(leader.agree, shown[0]), _says(rivals[0].agree, shown[1])]
    others = sum(group.agree for group in rivals[1:])
    if others:
        said.append(_says(others, "something else"))
    return ", ".join(said)


def _says(count: int, what: str) -> str:
    return f"{count} {'says' if count == 1 else 'say'} {what}"


def _side_by_side(left: Json, right: Json) -> tuple[str, str]:
    """Two values as people write them, with equally many decimals where both are fractions."""
    numbers = [meaning_of(value) for value in (left, right) if isinstance(value, float)]
    decimals = [min(2, number.decimals) for number in numbers if isinstance(number, Number)]
    return _shown(left, max(decimals, default=0)), _shown(right, max(decimals, default=0))


def _shown(value: Json, decimals: int) -> str:
    if isinstance(value, bool):
        return in_words(value)
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
