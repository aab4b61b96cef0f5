"""The rules for causes, one by one: what each needs, how sure it is, and what it tells."""

from dataclasses import replace
from typing import Any

import pytest

from hammerstone.learn.evolution.judges.causes import FailureClass, RootCause
from hammerstone.learn.evolution.judges.classifying import class_of, classify
from hammerstone.learn.evolution.judges.run_facts import CallFact, RunError, RunErrorKind, RunFacts
from hammerstone.learn.evolution.judges.scoring import RunScore, ScoreSource

RUN = RunFacts("r", "What is 3 times 4?", given="12", case="c", trace_id="t", domain="maths")
WRONG = RunScore(0.25, ScoreSource.KNOWN, "")
TIMES = "def times(a, b):\n    return a * b\n\nanswer = times(3, 4)"
CAPITAL = "answer = {'x': 'Paris', 'y': 'Rome', 'z': 'Oslo', 'w': 'Bern'}['x']"
PLAIN = "answer = sorted(x for x in given)"
NO, BAD, GOOD = {"given": ""}, CallFact("mean", False, "raised", "oops"), CallFact("mean", True)
INS, A, D, OUTSIDE, MT, WT, BT, MK, H, OUT, U = (
    RootCause.INSTRUCTIONS, RootCause.ARITHMETIC, RootCause.DATES, RootCause.OUTSIDE_CALL,
    RootCause.MISSING_TOOL, RootCause.WRONG_TOOL, RootCause.BROKEN_TOOL,
    RootCause.MISSING_KNOWLEDGE, RootCause.HARNESS, RootCause.OUTAGE, RootCause.UNKNOWN,
)  # fmt: skip


def errors(*kinds: RunErrorKind) -> dict[str, Any]:
    return {"errors": tuple(RunError(kind, f"text {n}") for n, kind in enumerate(kinds))}


MODEL, REPLY, TOOL, PROGRAM, SERVICE, LIMIT, LOOP, FLOW, SANDBOX, INSIDE = RunErrorKind


@pytest.mark.parametrize(
    ("facts", "cause", "confidence", "told"),
    [
        (NO | errors(MODEL), OUT, 0.95, "the model could not be reached"),
        (errors(MODEL), MK, 0.55, "it answered by heart"),  # there is an answer all the same
        *[(errors(kind), H, 0.85, "a step of the product itself failed")
          for kind in (LIMIT, LOOP, FLOW, SANDBOX, INSIDE)],
        (errors(TOOL), MK, 0.55, "it answered by heart"),
        ({"programs_again": False}, H, 0.8, "no program gives '12' when it is run again"),
        ({"programs_again": True, "programs": (TIMES,)}, A, 0.8, "100% of 1 programs"),
        (NO | {"programs": (TIMES,)}, H, 0.7, "1 program was written, and none has a value"),
        (NO | {"programs": (TIMES, TIMES)}, H, 0.7, "2 programs were written"),
        (NO | {"programs": (TIMES,)} | errors(PROGRAM), A, 0.8, "are arithmetic"),
        (errors(SERVICE), OUTSIDE, 0.9, "something outside was needed"),
        ({"programs": ("import httpx\nanswer = 1",)}, OUTSIDE, 0.9, "needs the network"),
        ({"solutions": 4} | errors(REPLY, REPLY), INS, 0.85, "2 of 4 replies could not be read"),
        ({"solutions": 5} | errors(REPLY, REPLY), MK, 0.55, "by heart"),
        (errors(REPLY), INS, 0.85, "1 of 1 replies could not be read"),
        ({"unsupported": True}, MK, 0.9, "no document that was added holds the answer"),
        ({"calls": (BAD,)}, BT, 0.8, "mean failed: raised oops"),
        ({"calls": (BAD,), "assumed": ("x",)}, BT, 0.6, "values that the request does not state"),
        ({"calls": (BAD,), "assumed": ("x",), "right_tool": False}, BT, 0.8, "mean failed"),
        ({"wanted": "12 apples"}, INS, 0.7, "wanted '12 apples', given '12'"),
        ({"wanted": "12", "given": "It is  12"}, INS, 0.7, "in other words"),
        ({"wanted": " 12 "}, MK, 0.55, "by heart"),
        ({"wanted": "1"}, MK, 0.55, "by heart"),  # a part of a word is no word
        ({"calls": (GOOD,), "right_tool": False}, WT, 0.8, "mean was used"),
        ({"calls": (GOOD, GOOD), "right_tool": True}, BT, 0.75, "mean was used"),
        ({"calls": (GOOD,), "right_tool": True, "assumed": ("x", "y")}, INS, 0.7, "chose x, y"),
        ({"right_tool": True}, MK, 0.55, "by heart"),
        ({"calls": (GOOD,)}, U, 0.0, "the record does not tell why"),
        ({"programs": (CAPITAL,)}, MK, 0.6, "state facts that the request does not: "),
        ({"programs": (CAPITAL, TIMES)}, MK, 0.6, "50% of the programs state facts"),
        ({"programs": (CAPITAL, TIMES, TIMES)}, A, 0.6 + 0.2 * 2 / 3, "67% of 3 programs"),
        ({"programs": ("import datetime\nanswer = datetime.date(1, 1, 1)",)}, D, 0.8, "are dates"),
        ({"programs": (PLAIN,), "agree": 1, "solutions": 3}, MT, 0.5, "1 of 3 programs gave"),
        ({"programs": ("def (",), "assumed": ("x",)}, INS, 0.55, "the model chose x"),
        ({"calls": (GOOD,), "assumed": ("x",)}, INS, 0.55, "the request was misread"),
        (NO | {"status": "failed"}, U, 0.0, "the record does not tell why"),
    ],
)  # fmt: skip
def test_the_first_rule_with_evidence_decides(
    facts: dict[str, Any], cause: RootCause, confidence: float, told: str
) -> None:
    found = classify(replace(RUN, **facts), WRONG)
    assert found.cause is cause
    assert found.confidence == pytest.approx(confidence)
    assert told in " ".join((found.why, *found.evidence))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (NO | errors(MODEL), errors(LIMIT)),
        (errors(LIMIT), {"programs_again": False}),
        ({"programs_again": False}, errors(SERVICE)),
        (errors(SERVICE), {"unsupported": True}),
        ({"unsupported": True}, {"calls": (BAD,)}),
        ({"calls": (BAD,)}, {"wanted": "12 apples"}),
        ({"wanted": "12 apples"}, {"programs": (CAPITAL,)}),
        ({"programs": (CAPITAL,)}, {"assumed": ("x",)}),
    ],
)
def test_an_earlier_rule_comes_before_a_later_one(
    first: dict[str, Any], then: dict[str, Any]
) -> None:
    both = {**then, **first}
    if "errors" in first and "errors" in then:
        both["errors"] = (*then["errors"], *first["errors"])
    alone, together = (classify(replace(RUN, **facts), WRONG) for facts in (first, both))
    assert (alone.cause, alone.why) == (together.cause, together.why)


@pytest.mark.parametrize(
    ("cause", "kind", "both"),
    [
        (INS, FailureClass.PROMPT, FailureClass.PROMPT),
        (A, FailureClass.SKILL, FailureClass.SKILL),
        (D, FailureClass.SKILL, FailureClass.SKILL),
        (OUTSIDE, FailureClass.SKILL, FailureClass.SKILL),
        (MT, FailureClass.SKILL, FailureClass.BOTH),
        (WT, FailureClass.BOTH, FailureClass.BOTH),
        (BT, FailureClass.SKILL, FailureClass.BOTH),
        (MK, FailureClass.OTHER, FailureClass.OTHER),
        (H, FailureClass.OTHER, FailureClass.OTHER),
        (OUT, FailureClass.OTHER, FailureClass.OTHER),
        (U, FailureClass.OTHER, FailureClass.OTHER),
    ],
)
def test_what_has_to_change_for_a_cause(
    cause: RootCause, kind: FailureClass, both: FailureClass
) -> None:
    assert (class_of(cause), class_of(cause, both=True)) == (kind, both)


def test_a_finding_says_which_run_it_is_about() -> None:
    found = classify(replace(RUN, wanted="12 apples"), WRONG)
    assert (found.run_id, found.case, found.trace_id, found.domain) == ("r", "c", "t", "maths")
    assert (found.request, found.given, found.wanted) == (RUN.request, "12", "12 apples")
    assert found.score == 0.25


def test_equal_errors_are_told_once_and_long_ones_are_cut() -> None:
    long = tuple(RunError(LIMIT, "x" * 500) for _ in range(3))
    (told,) = classify(replace(RUN, errors=long), WRONG).evidence
    assert len(told) == 200 and told.startswith("limit: xxx")
