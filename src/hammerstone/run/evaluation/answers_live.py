"""Answers of the product itself to requests with known answers: right, how sure, how fast."""

import time
from collections.abc import Awaitable, Callable, Sequence

from hammerstone.core.answers import Answer, Event, EventKind, OnEvent, Proof
from hammerstone.core.errors import HammerstoneError
from hammerstone.run.evaluation.answer_rows import Row
from hammerstone.run.evaluation.answers import Scored

Ask = Callable[[str, OnEvent], Awaitable[Answer]]
_FINISHED = (str(Proof.PROVED), str(Proof.UNPROVED))


def spread(rows: Sequence[Row], count: int) -> list[Row]:
    """`count` rows from all over a file, always the same ones."""
    if count >= len(rows):
        return list(rows)
    return [rows[at * len(rows) // count] for at in range(count)]


class Stopwatch:
    """Seconds from the start of a request to what its events tell of."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.first_s: float | None = None
        self.verdict_s: float | None = None

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    async def see(self, event: Event) -> None:
        if event.kind is EventKind.ANSWER and self.first_s is None:
            self.first_s = self.seconds()
        elif event.kind is EventKind.PROOF and event.data.get("proof") in _FINISHED:
            self.verdict_s = self.seconds()


async def ask_all(
    rows: Sequence[Row], ask: Ask, on_scored: Callable[[Row, Scored], None]
) -> list[Scored]:
    """Every row asked in turn; a request that fails with an error is a wrong answer."""
    scored: list[Scored] = []
    for row in rows:
        watch = Stopwatch()
        try:
            answer = await ask(row.request, watch.see)
        except HammerstoneError as error:
            answer = Answer(text=str(error), confidence=0.0)
        final_s = watch.seconds()
        one = Scored(
            row.id,
            answer.confidence or 0.0,
            row.is_right(answer.result),
            answer.solutions,
            answer.cost.tokens,
            first_s=watch.first_s if watch.first_s is not None else final_s,
            final_s=final_s,
            verdict_s=watch.verdict_s,
        )
        scored.append(one)
        on_scored(row, one)
    return scored
