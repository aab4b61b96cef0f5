"""From belief to verdict: the standing, the simplest code, the frozen suite, the record."""

from collections import Counter
from collections.abc import Sequence

from hammerstone.core.formatting import count
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import CaseKind
from hammerstone.judging.labels import Labels
from hammerstone.judging.rendering import show
from hammerstone.synthesis.examine.belief.behaviours import form_of
from hammerstone.synthesis.examine.belief.own_calibration import UNADJUSTED
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.questions import shares
from hammerstone.synthesis.examine.suites.freeze import NOTHING, FrozenSuite, freeze
from hammerstone.synthesis.examine.verdict import (
    Behaviour,
    BehaviourStanding,
    ExaminationVerdict,
    ExaminePolicy,
)
from hammerstone.synthesis.examine.vetoes import find_veto

NEARLY = 1.25  # times the size of the smallest program
SHOWN_ERROR = 120  # characters
SHOWN_CASES = 40  # cases kept in the evidence for people


async def conclude(
    examination: Examination,
    policy: ExaminePolicy,
    steps: Sequence[JsonObject] = (),
) -> ExaminationVerdict:
    """The verdict on what has been heard so far."""
    belief = examination.belief
    if not belief.ranking:
        return _nobody(examination, steps)
    code = simplest(examination, belief.ranking[0].group.exact)
    frozen = await freeze(examination, code) if examination.freezes else NOTHING
    veto = await find_veto(examination, code, policy)
    confidence = min(examination.confidence, veto.at_most)
    standing, reason = judged(examination, policy, confidence, veto.doubt)
    asked = examination.question() if standing is not BehaviourStanding.VERIFIED else None
    return ExaminationVerdict(
        standing=standing,
        confidence=confidence,
        code=code,
        behaviours=_behaviours(examination),
        suite=frozen.suite,
        rejected=frozen.rejected,
        mutation_score=frozen.mutation_score,
        question=asked.question if asked else None,
        candidates_used=len(examination.draws),
        suites_used=examination.suites,
        questions_asked=examination.answered.total,
        reason=reason,
        evidence={**_evidence(examination, frozen, steps), "veto": veto.name},
    )


def _nobody(examination: Examination, steps: Sequence[JsonObject]) -> ExaminationVerdict:
    unmet = examination.belief.unmet
    died = f"no program runs{_common_error(examination)}"
    reason = "no program gives what the person said" if unmet else died
    return ExaminationVerdict(
        BehaviourStanding.REJECTED,
        0.0,
        None,
        candidates_used=len(examination.draws),
        suites_used=examination.suites,
        questions_asked=examination.answered.total,
        reason=reason,
        evidence={"steps": list(steps), "calibration": examination.calibration.source},
    )


def _common_error(examination: Examination) -> str:
    """How most candidates fail, in brackets, for the person and for the next specification."""
    matrix = examination.matrix
    columns = range(len(matrix.calls))
    outcomes = [matrix.outcome(row, column) for row in examination.draws for column in columns]
    errors = Counter(o.error_line for o in outcomes if o.error_type)
    return f" ({errors.most_common(1)[0][0][:SHOWN_ERROR]})" if errors else ""


def simplest(examination: Examination, draws: Sequence[int]) -> str:
    """The simplest program of a behaviour, of those that hang least.

    Among programs of nearly the same size the form that was written most often wins: equal
    results on the inputs tried are no proof, and the odd one out is more often the wrong one.
    """
    matrix = examination.matrix
    rows = [examination.draws[draw] for draw in draws]
    hangs = {row: int((matrix.labels[row] == Labels.BROKEN).sum()) for row in rows}
    rows = [row for row in rows if hangs[row] == min(hangs.values())]
    forms = {row: form_of(matrix.codes[row]) for row in rows}
    counts = Counter(forms[row].shape for row in rows)
    smallest = min(forms[row].size for row in rows)

    def effort(row: int) -> tuple[bool, int, int, int]:
        form = forms[row]
        much_larger = form.size > NEARLY * smallest
        return much_larger, -counts[form.shape], form.size, len(matrix.codes[row])

    return matrix.codes[min(set(rows), key=effort)]


def _failing_promised(examination: Examination) -> int:
    """Inputs that the spec accepts and on which the believed behaviour gives no result."""
    leader = examination.belief.ranking[0].group.labels
    return sum(1 for column in examination.promised if leader[column] < 0)


def _behaviours(examination: Examination) -> tuple[Behaviour, ...]:
    belief = examination.belief
    beliefs = shares(belief, examination.confidence)
    return tuple(
        Behaviour(
            code=simplest(examination, weighed.group.exact),
            members=weighed.group.covered,
            votes=weighed.group.votes,
            belief=share,
            support=weighed.support,
        )
        for weighed, share in zip(belief.ranking, beliefs, strict=True)
    )


def _shown_behaviours(examination: Examination) -> list[Json]:
    """The behaviour groups for people: who stands behind each and how much it is believed."""
    belief = examination.belief
    beliefs = shares(belief, examination.confidence)
    return [
        {
            "votes": round(weighed.group.votes, 2),
            "share": round(weighed.group.votes / max(1, belief.drawn), 3),
            "belief": round(share, 3),
            "support": round(weighed.support, 3),
        }
        for weighed, share in zip(belief.ranking, beliefs, strict=True)
    ]


def _shown_cases(frozen: FrozenSuite) -> list[Json]:
    """The cases for people: who wrote them, how much they are believed, whether they stayed."""
    kept = [(case, True) for case in frozen.suite] + [(case, False) for case in frozen.rejected]
    return [
        {
            "call": (case.call.source or "")[:200],
            "expected": show(case.expected) if case.kind is CaseKind.VALUE else str(case.kind),
            "origin": case.origin,
            "support": case.support,
            "kept": stays,
            "note": case.note,
        }
        for case, stays in kept[:SHOWN_CASES]
    ]


def _evidence(
    examination: Examination, frozen: FrozenSuite, steps: Sequence[JsonObject]
) -> JsonObject:
    features: dict[str, Json] = {k: round(v, 4) for k, v in examination.belief.features.items()}
    return {
        "features": features,
        UNADJUSTED: round(examination.unadjusted, 4),
        "calibration": examination.calibration.source,
        "inputs": len(examination.matrix.calls),
        "truth": len(examination.truth),
        "answered": {
            "upheld": examination.answered.upheld,
            "flipped": examination.answered.flipped,
            "refused": examination.answered.refused,
        },
        "unmet": len(examination.belief.unmet),
        "promised": len(examination.promised),
        "promised_without_result": _failing_promised(examination),
        "mutants": frozen.mutants,
        "authored_mutation_score": frozen.authored_score,
        "behaviours": _shown_behaviours(examination),
        "cases": _shown_cases(frozen),
        "unnoticed": list(frozen.unnoticed),
        "steps": list(steps),
    }


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
