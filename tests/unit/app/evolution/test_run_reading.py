"""The facts of a run, read from its rows."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from hammerstone.app.evolution.run_reading import facts_of
from hammerstone.core.calls import Failure
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.learn.evolution.judges.run_facts import RunErrorKind
from hammerstone.storage import Execution, SpanRow
from hammerstone.storage.rows import RunRow
from hammerstone.tracing.spans import ERROR_TYPE

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = RunRow("r", "s", "ada", "3 times 4", "t", "done", {"result": 12, "text": "12"}, NOW)


def span(kind: str, error: str | None = None, output: Any = None, **attributes: Any) -> SpanRow:
    named = {name.replace("__", "."): value for name, value in attributes.items()}
    return SpanRow("a", "t", None, "a step", kind, NOW, 0.1, None, output, error, named)


def failed(kind: str, type: str, text: str) -> SpanRow:
    return span(kind, f"{type}: {text}", **{ERROR_TYPE: type})


def call(ok: bool = True, number: int = 1, **arguments: Any) -> Execution:
    failure = None if ok else Failure.RAISED
    return Execution(f"e{number}", "r", "s", number, "mean", "v", arguments, 1, ok, NOW, failure,
                     "" if ok else "ValueError: no")  # fmt: skip


def said(kind: FeedbackKind, reliability: float, user: str = "ada", tool: str = "") -> Feedback:
    return Feedback(kind=kind, run_id="r", session_id="s", user=user, at=NOW, tool=tool,
                    reliability=reliability)  # fmt: skip


def errors(*spans: SpanRow, calls: tuple[Execution, ...] = ()) -> list[tuple[RunErrorKind, str]]:
    return [(one.kind, one.text) for one in facts_of(RUN, calls, (), None, spans).errors]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (failed("model", "ModelUnavailable", "gone"), RunErrorKind.MODEL),
        (failed("model", "Whatever", "x"), RunErrorKind.MODEL),
        (failed("model", "ModelNonsense", "x"), RunErrorKind.REPLY),
        (failed("step", "BudgetExceeded", "spent"), RunErrorKind.LIMIT),
        (failed("step", "SandboxLost", "gone"), RunErrorKind.SANDBOX),
        (failed("step", "MissingPart", "x"), RunErrorKind.FLOW),
        (failed("step", "KeyError", "'x'"), RunErrorKind.INSIDE),
        (failed("run", "KeyError", "'x'"), RunErrorKind.INSIDE),
        (failed("tool", "KeyError", "'x'"), None),
        (failed("step", "BadRequest", "no"), None),
        (span("step", "it could not be found: x"), None),
        (span("run", "Sorry: I do not know"), None),  # an answer's text, whatever it looks like
        (span("step"), None),
        (span("sandbox", sandbox__failure="lost", output="x"), RunErrorKind.SANDBOX),
        (span("sandbox", sandbox__failure="raised", output="x"), RunErrorKind.PROGRAM),
        (span("sandbox", sandbox__failure="raised", sandbox__function="solve"),
         RunErrorKind.PROGRAM),
        (span("sandbox", sandbox__failure="raised", sandbox__function="attack"), None),
        (span("sandbox", sandbox__failure="timeout", sandbox__function="trial"), None),
        (span("sandbox", output=3), None),
        (span("step", sandbox__failure="raised"), None),
    ],
)  # fmt: skip
def test_whose_error_a_span_tells(row: SpanRow, expected: RunErrorKind | None) -> None:
    assert [kind for kind, _ in errors(row)] == ([expected] if expected else [])


def test_failed_calls_and_going_in_circles() -> None:
    twice = (call(number=1, x=1), call(number=2, x=1))
    assert errors(calls=twice) == []
    (told,) = errors(calls=(*twice, call(number=3, x=1)))
    assert told[0] is RunErrorKind.LOOP and "3 times" in told[1]
    assert errors(calls=(*twice, call(number=3, x=2))) == []
    assert errors(calls=(call(ok=False),)) == [(RunErrorKind.TOOL, "mean: ValueError: no")]


def test_long_errors_are_cut() -> None:
    ((_, text),) = errors(span("model", "ModelError: " + "x" * 500))
    assert len(text) == 200


@pytest.mark.parametrize(
    ("feedback", "good", "bad"),
    [
        ([], 0.0, 0.0),
        ([said(FeedbackKind.CONFIRMED, 0.7)], 0.7, 0.0),
        ([said(FeedbackKind.CORRECTED, 0.9)], 0.0, 0.9),
        ([said(FeedbackKind.CONFIRMED, 0.7), said(FeedbackKind.REFUSED, 0.8)], 0.0, 0.8),
        ([said(FeedbackKind.CONFIRMED, 0.7), said(FeedbackKind.REFUSED, 0.8, "bob")], 0.7, 0.8),
    ],
)  # fmt: skip
def test_the_last_word_of_each_person_counts(
    feedback: list[Feedback], good: float, bad: float
) -> None:
    found = facts_of(RUN, (), feedback, None, ())
    assert (found.said_for, found.said_against) == (good, bad)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"result": 12, "text": "It is 12."}, "12"),
        ({"result": None, "text": "Hello."}, "Hello."),
        ({"text": "Hello."}, "Hello."),
        ({"status": "failed", "result": 12}, ""),
        (None, ""),
        ("odd", ""),
        ({}, ""),
    ],
)
def test_what_was_given(answer: Any, given: str) -> None:
    assert facts_of(replace(RUN, answer=answer), (), (), None, ()).given == given


def test_what_the_answer_says_of_itself() -> None:
    answer: Any = {
        "result": 12, "confidence": 0.8, "agree": 5, "solutions": 8, "tool": "times",
        "strategy": "solving", "checks": {"contradicted": ["a", "b"], "confirmed": ["c"]},
    }  # fmt: skip
    found = facts_of(replace(RUN, answer=answer), (call(x=1),), (), None, ())
    assert (found.confidence, found.agree, found.solutions) == (0.8, 5, 8)
    assert (found.contradicted, found.confirmed) == (2, 0)  # solutions are counted already
    assert (found.tool, found.strategy, found.trace_id) == ("times", "solving", "t")
    assert [(one.tool, one.ok) for one in found.calls] == [("mean", True)]
    alone = facts_of(replace(RUN, answer=answer | {"solutions": 0}), (), (), None, ())
    assert alone.confirmed == 1
    odd: Any = {"confidence": "high", "agree": "x", "checks": [], "tool": None}
    assert facts_of(replace(RUN, answer=odd), (), (), None, ()).confidence is None
