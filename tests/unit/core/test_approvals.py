"""Questions to a person: known by their kind, whatever their words are."""

from datetime import UTC, datetime

import pytest

from hammerstone.core.approvals import QUESTION, Approval, Question, QuestionKind
from hammerstone.core.json_types import JsonObject

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _stored(question: Question, action: JsonObject | None) -> Approval:
    return Approval("1", QUESTION, "ada", "s", "r", "f", question.text, NOW, NOW, action,
                    question.choices)  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        Question(QuestionKind.MISSING, "What should max bend be?", parameter="max_bend"),
        Question(
            QuestionKind.CHOICE,
            "Which one?",
            choices=("add: 3", "add_days: 1: 2"),
            tools=("add", "add_days"),
        ),
    ],
)
def test_a_stored_question_is_the_question_that_was_asked(question: Question) -> None:
    stored = _stored(question, question.to_json())
    assert stored.question == question
    assert stored.to_json()["action"] is None


def test_a_question_stored_without_its_kind_is_still_one() -> None:
    choice = _stored(Question(QuestionKind.CHOICE, "Which?", choices=("add: 3", "sum: 4")), None)
    assert choice.question == Question(
        QuestionKind.CHOICE, "Which?", choices=("add: 3", "sum: 4"), tools=("add", "sum")
    )
    missing = _stored(Question(QuestionKind.MISSING, "What should year be?"), None)
    assert missing.question == Question(QuestionKind.MISSING, "What should year be?")


def test_leave_for_an_action_is_no_question() -> None:
    asked = Approval("1", "write", "ada", "s", "r", "f", "May it?", NOW, NOW, {"tool": "add"})
    assert asked.question is None
    assert asked.to_json()["action"] == {"tool": "add"}
