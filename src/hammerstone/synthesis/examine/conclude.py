"""From belief to verdict: the standing, the simplest code, the frozen suite, the record."""

import ast
from collections.abc import Sequence

from hammerstone.core.calls import Failure
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.synthesis.examine.equality import Labels
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.freeze import Frozen, freeze
from hammerstone.synthesis.examine.policy import ExaminePolicy
from hammerstone.synthesis.examine.questions import shares
from hammerstone.synthesis.examine.verdict import Behaviour, Standing, Verdict

REPEATED = 12  # calls that the winner has to answer alike in other surroundings


async def conclude(
    examination: Examination, policy: ExaminePolicy, steps: Sequence[JsonObject] = ()
) -> Verdict:
    """The verdict on what has been heard so far."""
    belief = examination.belief
    if not belief.ranking:
        return _nobody(examination, steps)
    code = _simplest(examination, belief.ranking[0].group.exact)
    frozen = await freeze(examination, code)
    unsteady = await _unsteady(examination, code)
    confidence = 0.0 if unsteady else examination.confidence
    standing, reason = _standing(examination, policy, confidence, unsteady)
    asked = examination.question() if standing is not Standing.VERIFIED else None
    return Verdict(
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
        questions_asked=examination.answers,
        reason=reason,
        evidence=_evidence(examination, frozen, steps),
    )


def _nobody(examination: Examination, steps: Sequence[JsonObject]) -> Verdict:
    unmet = examination.belief.unmet
    reason = "no candidate meets what the person said" if unmet else "no candidate runs"
    return Verdict(
        Standing.REJECTED,
        0.0,
        None,
        candidates_used=len(examination.draws),
        suites_used=examination.suites,
        questions_asked=examination.answers,
        reason=reason,
        evidence={"steps": list(steps), "calibration": examination.calibration.source},
    )


def _standing(
    examination: Examination, policy: ExaminePolicy, confidence: float, unsteady: str
) -> tuple[Standing, str]:
    if unsteady:
        return Standing.EXPERIMENTAL, unsteady
    enough = len(examination.draws) > 1 and (examination.suites > 0 or examination.truth)
    if confidence >= policy.verified_at and enough:
        return Standing.VERIFIED, f"confidence {confidence:.2f}"
    if confidence < policy.rejected_below:
        return Standing.REJECTED, f"confidence {confidence:.2f}"
    return Standing.EXPERIMENTAL, f"confidence {confidence:.2f}"


def _simplest(examination: Examination, draws: Sequence[int]) -> str:
    """The shortest program of a behaviour by syntax tree, of those that hang least."""
    matrix = examination.matrix

    def effort(row: int) -> tuple[int, int, int]:
        hangs = int((matrix.labels[row] == Labels.BROKEN).sum())
        code = matrix.codes[row]
        return hangs, sum(1 for _ in ast.walk(ast.parse(code))), len(code)

    return matrix.codes[min({examination.draws[draw] for draw in draws}, key=effort)]


async def _unsteady(examination: Examination, code: str) -> str:
    """Why the winner cannot be trusted to repeat itself, or an empty text.

    The second run has other surroundings: single calls in fresh processes, in reverse order, as
    the tool is called in production. Code that counts its calls, draws lots or watches for
    being tested answers differently.
    """
    from hammerstone.core.calls import Program

    matrix = examination.matrix
    row = matrix.add_code(code)
    columns = [c for c in range(len(matrix.calls)) if matrix.labels[row, c] >= 0]
    step = max(1, len(columns) // REPEATED)
    program = Program(code, examination.function)
    for column in reversed(columns[::step][:REPEATED]):
        again = await examination.sandbox.call(program, matrix.calls[column])
        if again.failure is Failure.LOST:
            continue
        if matrix.label_again(column, again) != matrix.labels[row, column]:
            return f"{matrix.calls[column].source} gives different results in different runs"
    return ""


def _behaviours(examination: Examination) -> tuple[Behaviour, ...]:
    belief = examination.belief
    beliefs = shares(belief, examination.confidence)
    return tuple(
        Behaviour(
            code=_simplest(examination, weighed.group.exact),
            members=weighed.group.covered,
            votes=weighed.group.votes,
            belief=share,
            support=weighed.support,
        )
        for weighed, share in zip(belief.ranking, beliefs, strict=True)
    )


def _evidence(examination: Examination, frozen: Frozen, steps: Sequence[JsonObject]) -> JsonObject:
    features: dict[str, Json] = {k: round(v, 4) for k, v in examination.belief.features.items()}
    return {
        "features": features,
        "calibration": examination.calibration.source,
        "inputs": len(examination.matrix.calls),
        "truth": len(examination.truth),
        "unmet": len(examination.belief.unmet),
        "mutants": frozen.mutants,
        "unnoticed": list(frozen.unnoticed),
        "steps": list(steps),
    }
