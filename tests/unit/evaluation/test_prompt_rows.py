"""Rows for a sampler elsewhere, and its replies taken into the record."""

import json
from typing import cast

from evals.prompt_record import PromptRecord, trial_key
from evals.prompt_rows import sample_row, taken
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.evaluation.prompting.solution_trials import ReplyValues
from hammerstone.prompts import shipped_text

REPLY = "```python\ndef twice(n):\n    return 2 * n\n\nanswer = twice(21)\n```"
START = shipped_text("solve")
ROW = AnswerRow("r-1", "What is twice 21?", {}, lambda _, value: value == 42)


def test_a_row_asks_for_the_likeliest_reply_to_the_request() -> None:
    made = sample_row(START, ROW)
    assert made["id"] == trial_key(START, ROW, 1) and (made["n"], made["temperature"]) == (1, 0.0)
    messages = cast(list[dict[str, str]], made["messages"])
    assert [one["role"] for one in messages][:2] == ["system", "user"]
    assert messages[-1]["content"].startswith(ROW.request)


async def test_whole_replies_are_taken_once_and_others_left() -> None:
    key = trial_key(START, ROW, 1)
    lines = [
        json.dumps({"id": "another 0123 1", "samples": [REPLY]}),
        json.dumps({"id": key, "samples": [], "partial": True}),
        json.dumps({"id": key, "samples": [REPLY], "tokens": [20]}),
        json.dumps({"id": key, "samples": ["nothing"]}),
    ]
    record = PromptRecord()
    values = ReplyValues(cast(Sandbox, None), {REPLY: 42})  # what is known is not run
    assert await taken(record, lines, [ROW], values) == 1
    assert record.trials[key].values == [42] and record.trials[key].voted == 42
    assert await taken(record, lines, [ROW], values) == 0
