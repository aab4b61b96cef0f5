"""Rows for a sampler elsewhere, and its replies taken into the record."""

import json
from typing import cast

from evals.prompt_record import PromptRecord, RecordedTrial, functions_in, trial_key
from evals.prompt_rows import sample_row, taken
from evals.prompt_track import RowOutcome
from evals.solution_trials import ReplyValues
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.prompts import shipped_text

REPLY = "```python\ndef twice(n):\n    return 2 * n\n\nanswer = twice(21)\n```"
OTHER = REPLY.replace("answer = twice(21)", "answer = twice(21) - 1")
START = shipped_text("solve")
ROW = AnswerRow("r-1", "What is twice 21?", {}, lambda _, value: value == 42)


KEY = trial_key(START, ROW, 8)


def test_a_row_asks_for_eight_replies_the_likeliest_first() -> None:
    made = sample_row(START, ROW)
    assert (made["id"], made["n"], made["greedy_first"]) == (KEY, 8, True)
    messages = cast(list[dict[str, str]], made["messages"])
    assert [one["role"] for one in messages][:2] == ["system", "user"]
    assert messages[-1]["content"].startswith(ROW.request)


def test_a_plain_program_has_no_function_of_its_own() -> None:
    assert functions_in([REPLY, "```python\nanswer = 42\n```", "# conversation"]) == 1


async def test_whole_replies_are_taken_once_and_others_left() -> None:
    lines = [
        json.dumps({"id": "another 0123 1", "samples": [REPLY]}),
        json.dumps({"id": KEY, "samples": [REPLY], "partial": True}),
        json.dumps({"id": KEY, "samples": [*[REPLY] * 7, OTHER], "tokens": [20] * 8}),
        json.dumps({"id": KEY, "samples": [OTHER] * 8}),
    ]
    record = PromptRecord()
    values = ReplyValues(cast(Sandbox, None), {REPLY: 42, OTHER: 41})  # what is known is not run
    assert await taken(record, lines, [ROW], values) == 1
    known = record.trials[KEY]
    assert known.values == [*[42] * 7, 41] and known.voted == 42
    assert RowOutcome.of(ROW, known) == RowOutcome(ROW.id, 7 / 8, 1.0, 1.0, 1.0)
    assert known.functions == 8 and RecordedTrial.of(known.to_json()) == known
    known.functions = None
    assert await taken(record, lines, [ROW], values) == 0
    assert known.functions == 8
