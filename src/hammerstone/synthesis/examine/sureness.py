"""The standing that a confidence gives, and the sentence that tells a person why."""

from hammerstone.core.formatting import count
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.policy import ExaminePolicy
from hammerstone.synthesis.examine.verdict import BehaviourStanding


def judged(
    examination: Examination, policy: ExaminePolicy, confidence: float, doubt: str = ""
) -> tuple[BehaviourStanding, str]:
    """What the confidence makes of a tool, and one sentence; `doubt` is what caps it."""
    said, mark = _agreement(examination), policy.verified_at
    sure = f"{_percent(confidence, mark)} likely right"
    if confidence >= mark:
        return BehaviourStanding.VERIFIED, f"{said}: {sure}"
    against = doubt or _weak_point(examination)
    text = f"{said}: {sure}, and {mark:.0%} is needed to count as proved"
    text = f"{text}; {against}" if against else text
    if confidence < policy.rejected_below:
        return BehaviourStanding.REJECTED, text
    return BehaviourStanding.EXPERIMENTAL, text


def _percent(confidence: float, mark: float) -> str:
    """A percentage that never reads as reaching the mark when it does not."""
    shown = f"{confidence:.0%}"
    below = confidence < mark and shown == f"{mark:.0%}"
    return f"{confidence:.1%}" if below else shown


def _weak_point(examination: Examination) -> str:
    """What keeps the confidence low, the most telling first."""
    features = examination.belief.features
    if features["second_reading"]:
        met = "fit what you said, too" if features["told"] else "fit the request, too"
        return f"other programs give other results and {met}"
    if features["share"] < 0:
        return "most programs give other results"
    if features["one_program"]:
        return "these are copies of one program, and few test authors agree with it everywhere"
    if not features["told"] and not examination.answered.total:
        return "you gave no example of a right result"
    return ""


def _agreement(examination: Examination) -> str:
    """Who agrees with the leader: candidates, the person, the test authors."""
    belief = examination.belief
    drawn, agree = len(examination.draws), round(belief.ranking[0].group.votes)
    parts = [f"{agree} of {drawn} programs agree"]
    examples = round(belief.features["examples"])
    if examples > 0:
        parts.append(f"they match your {count(examples, 'example')}")
    if examination.answered.total:
        upheld = examination.answered.upheld
        parts.append(
            "a person's answer confirmed them" if upheld else "a person's answer chose between them"
        )
    authors = round(belief.features["authors"])
    content = round(belief.features["content"] * authors)
    if authors:
        verb = "agrees" if content == 1 else "agree"
        several = count(authors, "test author")
        parts.append(f"{content} of {several} {verb} with them in every test")
    return ", ".join(parts)
