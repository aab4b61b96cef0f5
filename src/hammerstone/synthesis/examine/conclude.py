"""From belief to verdict: the standing, the simplest code, the frozen suite, the record."""

from collections import Counter
from collections.abc import Sequence

from hammerstone.core.calls import Failure, Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import CaseKind
from hammerstone.judging.labels import Labels
from hammerstone.judging.rendering import show
from hammerstone.judging.result_types import usual_type_mismatch
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.forms import form_of
from hammerstone.synthesis.examine.freeze import NOTHING, Frozen, freeze
from hammerstone.synthesis.examine.policy import ExaminePolicy
from hammerstone.synthesis.examine.questions import shares
from hammerstone.synthesis.examine.sureness import judged
from hammerstone.synthesis.examine.verdict import Behaviour, BehaviourStanding, ExaminationVerdict

NEARLY = 1.25  # times the size of the smallest program
SHOWN_ERROR = 120  # characters
SHOWN_CASES = 40  # cases kept in the evidence for people
TRIED_ALONE = 3  # calls that did not end in the matrix
_DEATHS = {
    Failure.TIMEOUT: "does not end in time",
    Failure.MEMORY: "needs too much memory",
    Failure.CRASHED: "crashes",
}


async def conclude(
    examination: Examination, policy: ExaminePolicy, steps: Sequence[JsonObject] = ()
) -> ExaminationVerdict:
    """The verdict on what has been heard so far."""
    belief = examination.belief
    if not belief.ranking:
        return _nobody(examination, steps)
    code = simplest(examination, belief.ranking[0].group.exact)
    frozen = await freeze(examination, code, policy) if policy.freeze else NOTHING
    doubt = await _unsteady(examination, code, policy.repeated_calls) or _other_type(
        examination, code
    )
    confidence = 0.0 if doubt else examination.confidence
    standing, reason = judged(examination, policy, doubt or await _unfinished(examination, code))
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
        evidence=_evidence(examination, frozen, steps),
    )


def _nobody(examination: Examination, steps: Sequence[JsonObject]) -> ExaminationVerdict:
    unmet = examination.belief.unmet
    died = f"no candidate runs{_common_error(examination)}"
    reason = "no candidate meets what the person said" if unmet else died
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
    errors = Counter(f"{o.error_type}: {o.error}" for o in outcomes if o.error_type)
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


async def _unsteady(examination: Examination, code: str, count: int) -> str:
    """Why the winner cannot be trusted to repeat itself, or an empty text.

    The second run has other surroundings: single calls in fresh processes, in reverse order, as
    the tool is called in production. Code that counts its calls, draws lots or watches for
    being tested answers differently.
    """
    matrix = examination.matrix
    row = matrix.add_code(code)
    columns = [c for c in range(len(matrix.calls)) if matrix.labels[row, c] >= 0]
    step = max(1, len(columns) // max(1, count))
    program = Program(code, examination.function)
    for column in reversed(columns[::step][:count]):
        again = await examination.sandbox.call(program, matrix.calls[column], files=matrix.files)
        if again.failure is Failure.LOST:
            continue
        if matrix.label_again(column, again) != matrix.labels[row, column]:
            return f"{matrix.calls[column].source} gives different results in different runs"
    return ""


async def _unfinished(examination: Examination, code: str) -> str:
    """A call that a person or a test author wrote and the winner does not survive, or nothing.

    Tried once more, alone with the time of a whole row: in the matrix a call may be given up
    because the calls before it used that up. What is right but dies in verification is at best
    experimental (R3.6).
    """
    matrix = examination.matrix
    row = matrix.add_code(code)
    written = sorted({heard.column for heard in (*examination.truth, *examination.cases)})
    broken = [column for column in written if matrix.labels[row, column] == Labels.BROKEN]
    for column in broken[:TRIED_ALONE]:
        again = await examination.sandbox.call(
            Program(code, examination.function),
            matrix.calls[column],
            limits=matrix.limits,
            files=matrix.files,
        )
        death = _DEATHS.get(again.failure) if again.failure else None
        if death:
            return f"{matrix.calls[column].source} {death}"
    return ""


def _other_type(examination: Examination, code: str) -> str:
    """Where the winner mostly returns something else than its spec declares."""
    if not examination.spec or not examination.spec.returns:
        return ""
    matrix = examination.matrix
    row = matrix.add_code(code)
    labels = [(c, int(matrix.labels[row, c])) for c in range(len(matrix.calls))]
    values = [matrix.value(column, label) for column, label in labels if label >= 0]
    reason = usual_type_mismatch(examination.spec.returns, values)
    return f"the result is not what the spec declares: {reason}" if reason else ""


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


def _shown_cases(frozen: Frozen) -> list[Json]:
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


def _evidence(examination: Examination, frozen: Frozen, steps: Sequence[JsonObject]) -> JsonObject:
    features: dict[str, Json] = {k: round(v, 4) for k, v in examination.belief.features.items()}
    return {
        "features": features,
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
