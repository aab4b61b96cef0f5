"""Questions that experimental tools keep: asked when the person is there, and answered."""

from hammerstone.app.questions.question import AnswerEffect, OpenQuestion, QuestionOutcome
from hammerstone.app.questions.questionbook import QuestionBook

__all__ = ["AnswerEffect", "OpenQuestion", "QuestionBook", "QuestionOutcome"]
