"""Answers of the product itself to requests with known answers: right, how sure, how fast."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from hammerstone.core.answers import Answer, Event, EventKind, OnEvent, Proof
from hammerstone.core.errors import HammerstoneError, ModelMissing, ModelUnavailable, Stopped
from hammerstone.core.json_types import Json
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.evaluation.answers.answers import ScoredAnswer
from hammerstone.judging.equality import same_answer

Ask = Callable[[str, OnEvent], Awaitable[Answer]]
_FINISHED = (str(Proof.PROVED), str(Proof.UNPROVED))


def spread(rows: Sequence[AnswerRow], count: int) -> list[AnswerRow]:
    """`count` rows from all over a file, always the same ones."""
    if count >= len(rows):
        return list(rows)
    return [rows[at * len(rows) // count] for at in range(count)]


class Stopwatch:
    """Seconds from the start of a request to what its events tell of."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.first_s: float | None = None
        self._settled: tuple[Json, float] | None = None
        self.verdict_s: float | None = None

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    async def see(self, event: Event) -> None:
        if event.kind is EventKind.ANSWER:
            self._see_answer(event.data)
        elif event.kind is EventKind.PROOF and event.data.get("proof") in _FINISHED:
            self.verdict_s = self.seconds()

    def _see_answer(self, said: Mapping[str, Json]) -> None:
        if self.first_s is None:
            self.first_s = self.seconds()
        value = said.get("value")
        if self._settled is not None and not same_answer(self._settled[0], value):
            self._settled = None
        if self._settled is None and said.get("settled"):
            self._settled = (value, self.seconds())

    def final_s(self, result: Json) -> float:
        """When the value that was given in the end was said to stand; now, where it was not."""
        if self._settled is not None and same_answer(self._settled[0], result):
            return self._settled[1]
        return self.seconds()


async def ask_all(
    rows: Sequence[AnswerRow], ask: Ask, on_scored: Callable[[AnswerRow, ScoredAnswer], None]
) -> list[ScoredAnswer]:
    """Every row asked in turn; a request that fails with an error is a wrong answer."""
    scored: list[ScoredAnswer] = []
    for row in rows:
        one, _ = await ask_one(row, ask)
        scored.append(one)
        on_scored(row, one)
    return scored


async def ask_one(row: AnswerRow, ask: Ask) -> tuple[ScoredAnswer, Answer]:
    """One row asked and scored; an error is an answer without a value.

    A model that is not there says nothing about the product: that is raised.
    """
    watch = Stopwatch()
    try:
        answer = await ask(row.request, watch.see)
    except (Stopped, ModelUnavailable, ModelMissing):
        raise
    except HammerstoneError as error:
        answer = Answer(text=str(error), confidence=0.0)
    whole_s, final_s = watch.seconds(), watch.final_s(answer.result)
    scored = ScoredAnswer(
        row.id,
        answer.confidence or 0.0,
        row.is_right(answer.result),
        answer.solutions,
        answer.cost.tokens,
        first_s=watch.first_s if watch.first_s is not None else final_s,
        final_s=final_s,
        whole_s=whole_s,
        verdict_s=watch.verdict_s,
    )
    return scored, answer
