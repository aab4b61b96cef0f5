"""How sure an answer is: the calibrated chance that the leading value is right, and why."""

import json
import math
from collections.abc import Sequence

from hammerstone.core.answers import Sureness
from hammerstone.core.json_types import Json
from hammerstone.judging.meaning import Number, meaning_of
from hammerstone.run.solve.calibration import AnswerCalibration, shipped
from hammerstone.run.solve.evidence import Evidence
from hammerstone.run.solve.policy import AnswerPolicy
from hammerstone.run.solve.votes import Group, Tally, can_change

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


def _mean(group: Group, name: str) -> float:
    found: Sequence[Evidence] = group.evidence
    return sum(getattr(one, name) for one in found) / len(found)


def answer_confidence(tally: Tally, calibration: AnswerCalibration | None = None) -> float:
    """The chance that the leading value is right; 0 where there is none."""
    if tally.leader is None:
        return 0.0
    model = (calibration or shipped()).for_size(tally.total)
    return model.probability(features_of(tally))


def sureness_of(confidence: float, policy: AnswerPolicy) -> Sureness:
    """The word for a confidence."""
    if confidence >= policy.sure_at:
        return Sureness.SURE
    return Sureness.LIKELY if confidence >= policy.likely_at else Sureness.UNSURE


def worth_more(tally: Tally, confidence: float, policy: AnswerPolicy) -> bool:
    """Whether to wait for more solutions: they can change the answer, and it is unsure."""
    left = policy.max_solutions - tally.total
    return confidence < policy.stop_at and can_change(tally, left)


def reason_for(tally: Tally) -> str:
    """Why an answer is as sure as it is, in one line for people."""
    leader = tally.leader
    if leader is None:
        return f"none of {tally.total} solutions gave a value" if tally.total else ""
    if tally.total == 1:
        return "one solution so far"
    rivals = tally.groups[1:]
    if leader.agree * 2 > tally.total or not rivals:
        return f"{leader.agree} of {tally.total} independent solutions agree"
    said = [f"{leader.agree} say {_shown(leader.value)}"]
    said += [f"{group.agree} say {_shown(group.value)}" for group in rivals[:1]]
    others = sum(group.agree for group in rivals[1:])
    if others:
        said.append(f"{others} say something else")
    return ", ".join(said)


def _shown(value: Json) -> str:
    meaning = meaning_of(value)
    if isinstance(meaning, Number) and isinstance(value, float):
        return f"{value:.2f}" if meaning.decimals > 1 else f"{value:g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
