"""Scored runs as examples to train on, read from their traces."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import is_dict, is_sequence
from hammerstone.learn.finetuning.examples import ChatTurn, TrainingRun
from hammerstone.storage import Database
from hammerstone.storage.rows import SpanRow
from hammerstone.tracing.genai import PURPOSE, RESPONSE_MODEL

PURPOSES = frozenset({"solution"})
_AUTHORS = ("system", "user", "assistant")


async def training_runs(
    db: Database, scored: Mapping[str, tuple[str, float]]
) -> AsyncIterator[TrainingRun]:
    """The exchanges of runs by their traces: `scored` maps a run to its trace and its score.

    Of an exchange with several replies the first is taken, which is the model's likeliest.
    """
    for run_id, (trace_id, score) in scored.items():
        try:
            _, spans = await db.traces.get(trace_id)
        except NotFound:
            continue
        for span in spans:
            one = exchange_of(span, run_id, score)
            if one is not None:
                yield one


def exchange_of(span: SpanRow, run_id: str, score: float) -> TrainingRun | None:
    """The exchange that a span tells of; None where it is none to train on."""
    attributes = span.attributes if is_dict(span.attributes) else {}
    if attributes.get(PURPOSE) not in PURPOSES:
        return None
    messages = _messages(span.input)
    replies = _messages(span.output)
    if not messages or not replies:
        return None
    model = str(attributes.get(RESPONSE_MODEL) or "")
    return TrainingRun(run_id, model, score, tuple(messages), replies[0].text)


def _messages(said: Any) -> list[ChatTurn]:
    rows: Sequence[Any] = said if is_sequence(said) else []
    found: list[ChatTurn] = []
    for row in rows:
        if is_dict(row) and row.get("role") in _AUTHORS and isinstance(row.get("content"), str):
            found.append(ChatTurn(str(row["role"]), str(row["content"])))
    return found
