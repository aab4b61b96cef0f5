"""A model's word on one input where behaviours differ: one more witness, not a judge.

The same model wrote the candidates, so its vote is no independent evidence. It counts with a
reliability of its own (`ExaminePolicy.adjudicator_reliability`), and several samples of one model
count as one voice.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.seams import Model
from hammerstone.judging.rendering import show
from hammerstone.prompts import load
from hammerstone.synthesis.examine.verdict import ReadingQuestion

_ANSWER = re.compile(r"answer\s*[:=]?\s*\**\s*(A|B|neither)\b", re.IGNORECASE)


class Adjudicator(Protocol):
    """Says which of a question's results is right: a position or None (neither) per sample."""

    async def votes(self, question: ReadingQuestion) -> Sequence[int | None]: ...


class ModelAdjudicator:
    """Asks a model several times, every second time with the results in the other order."""

    def __init__(self, model: Model, spec: str, samples: int = 4) -> None:
        self._model = model
        self._spec = spec
        self._samples = samples

    async def votes(self, question: ReadingQuestion) -> list[int | None]:
        """One vote for each reply that ends in an answer; the others are left out."""
        found: list[int | None] = []
        for turned in (False, True):
            count = self._samples // 2 if turned else self._samples - self._samples // 2
            if count == 0:
                continue
            prompt = Prompt(
                _messages(self._spec, question, turned=turned),
                max_tokens=220,
                temperature=0.7,
                samples=count,
                purpose="adjudicate",
            )
            reply = await self._model.complete(prompt)
            found += [vote for one in reply.samples for vote in read_vote(one.text, turned=turned)]
        return found


def _messages(spec: str, question: ReadingQuestion, *, turned: bool) -> tuple[Message, ...]:
    first, second = (show(result) for result in question.results)
    if turned:
        first, second = second, first
    call = str(question.call.source)
    return load("adjudicate").fill(function=spec, call=call, first=first, second=second)


def read_vote(text: str, *, turned: bool = False) -> list[int | None]:
    """The vote that a reply ends with, as a list of one; empty where there is none."""
    answers = _ANSWER.findall(text)
    if not answers:
        return []
    word = str(answers[-1]).upper()
    if word == "NEITHER":
        return [None]
    first = (word == "A") is not turned
    return [0 if first else 1]
