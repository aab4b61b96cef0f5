"""A case's grade: its graders from the cheapest on, each within a time limit."""

import asyncio

from hammerstone.core.evaluations import CaseMark, CaseOutcome
from hammerstone.evaluation.suites.graders import (
    CaseOutput,
    Grade,
    GraderBroke,
    GraderSpec,
    GradingTools,
    grade_one,
)
from hammerstone.evaluation.suites.suite import Suite, SuiteCase

GRADER_S = 60.0
SHOWN = 2_000  # characters of a text that are kept


async def grade_case(
    suite: Suite,
    case: SuiteCase,
    produced: CaseOutput,
    tools: GradingTools,
    limit_s: float = GRADER_S,
) -> CaseOutcome:
    """How a case ended. An error or a hang of a grader says nothing about what was graded.

    The first grader that is content decides and the dearer ones are not asked, unless every
    one of them has to be.
    """
    grades: list[Grade] = []
    broken: list[str] = []
    for spec in case.graders:
        try:
            async with asyncio.timeout(limit_s):
                grades.append(await grade_one(spec, produced, case.request, tools))
        except TimeoutError:
            broken.append(f"the grader {spec.kind} took longer than {limit_s:.0f} s")
        except GraderBroke as error:
            broken.append(f"the grader {spec.kind} broke: {error}")
        if grades and grades[-1].score >= suite.pass_mark and not case.every:
            break
    return _outcome(suite, case, produced, grades, broken)


def _outcome(
    suite: Suite, case: SuiteCase, produced: CaseOutput, grades: list[Grade], broken: list[str]
) -> CaseOutcome:
    scores = [grade.score for grade in grades]
    score = (min if case.every else max)(scores, default=0.0)
    mark = _mark(suite, case, scores, bool(broken))
    reasons = [f"{grade.grader}: {grade.reason}" for grade in grades if grade.reason]
    told = [produced.error, *broken, *reasons] if mark is not CaseMark.PASSED else []
    given = produced.text or ("" if produced.value is None else str(produced.value))
    return CaseOutcome(
        case.id,
        mark,
        score if mark is not CaseMark.GRADER_ERROR else 0.0,
        tokens=produced.tokens,
        trace_id=produced.trace_id,
        asked=(case.request or str(dict(case.arguments or {})))[:SHOWN],
        given=given[:SHOWN],
        wanted="; ".join(str(spec.expect) for spec in case.graders)[:SHOWN],
        reason="; ".join(filter(None, told))[:SHOWN],
        tags=case.tags,
    )


def _mark(suite: Suite, case: SuiteCase, scores: list[float], broken: bool) -> CaseMark:
    good = [score >= suite.pass_mark for score in scores]
    if any(good) and not case.every:
        return CaseMark.PASSED
    if case.every and not all(good):
        return CaseMark.FAILED
    if broken:
        return CaseMark.GRADER_ERROR
    return CaseMark.PASSED if case.every else CaseMark.FAILED


def needs_judge(graders: tuple[GraderSpec, ...]) -> bool:
    return any(spec.kind == "judge" for spec in graders)
