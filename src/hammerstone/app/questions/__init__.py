"""Questions that experimental tools keep: asked when the person is there, and answered."""

from hammerstone.app.questions.question import OpenQuestion
from hammerstone.app.questions.questionbook import QuestionBook
from hammerstone.app.questions.reply import AnswerEffect, QuestionOutcome

__all__ = ["AnswerEffect", "OpenQuestion", "QuestionBook", "QuestionOutcome"]
