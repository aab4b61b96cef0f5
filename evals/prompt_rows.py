"""The missing replies of the test in `evals/prompt_track.py`, sampled elsewhere and taken in.

    python -m evals.prompt_rows write FOLDER    adapter.jsonl and plain.jsonl for training/sample.py
    python -m evals.prompt_rows take FOLDER     what it wrote there, run in the sandbox and recorded

`adapter` is sampled with the package's adapter, `plain` without any. A row's id is the key under
which its reply is recorded; what is recorded already is neither asked nor taken again.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.prompt_record import (
    PromptRecord,
    functions_in,
    recorded_trial,
    trial_key,
    write_records,
)
from evals.prompt_track import RECORDED, ROWS, TEST_REPLIES, Experiment, Parts, Weights
from evals.solution_trials import ReplyValues, solution_prompt
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_rows
from hammerstone.sandbox import open_sandbox

PART = 100  # lines after which what was taken is written
FILES = {Weights.ADAPTER: "adapter.jsonl", Weights.ALONE: "plain.jsonl"}


async def write(folder: Path, parts: Parts) -> None:
    for weights, name in FILES.items():
        experiment = Experiment(PromptRecord.read(Path(RECORDED), weights), parts)
        found = await experiment.search(), await experiment.chance()
        ruled = max(experiment.by_rules(found[0]), key=lambda one: one.score)
        best = [one.best.text for one in found]
        texts = dict.fromkeys([experiment.start, *best, ruled.text])
        known = experiment.record.trials
        lines = [
            json.dumps(sample_row(text, row), ensure_ascii=False) + "\n"
            for text in texts
            for row in parts.test
            if trial_key(text, row, TEST_REPLIES) not in known
        ]
        (folder / name).write_text("".join(lines), "utf-8")
        print(f"{name}: {len(lines)} rows")


def sample_row(text: str, row: AnswerRow) -> dict[str, object]:
    """What the record asks about a request with a text, as the sampler reads it."""
    asked = solution_prompt(text, row.request, TEST_REPLIES)
    return {
        "id": trial_key(text, row, TEST_REPLIES),
        "messages": [{"role": one.author, "content": one.text} for one in asked.messages],
        "n": asked.samples,
        "temperature": asked.temperature,
        "max_tokens": asked.max_tokens,
        "greedy_first": True,
    }


async def take(folder: Path, parts: Parts) -> None:
    records = {one.value: PromptRecord.read(Path(RECORDED), one) for one in Weights}
    sandbox = await open_sandbox(load_settings())
    try:
        for weights, name in FILES.items():
            lines = (folder / name).read_text("utf-8").splitlines()
            values, count = ReplyValues(sandbox), 0
            for at in range(0, len(lines), PART):
                count += await taken(records[weights], lines[at : at + PART], parts.test, values)
                write_records(Path(RECORDED), records)
            print(f"{name}: {count} of {len(lines)} lines taken in")
    finally:
        await sandbox.close()


async def taken(
    record: PromptRecord, lines: Sequence[str], test: Sequence[AnswerRow], values: ReplyValues
) -> int:
    """Whole replies to requests of the test, put into the record; how many were new. Of those
    that are there already functions are counted, where they were not."""
    rows, count = {row.id: row for row in test}, 0
    for line in lines:
        said = json.loads(line)
        row = rows.get(said["id"].split(" ")[0])
        whole = len(said.get("samples", ())) == TEST_REPLIES and not said.get("partial")
        if row is None or not whole:
            continue
        if (known := record.trials.get(said["id"])) is not None:
            known.functions = functions_in(said["samples"])
        else:
            record.trials[said["id"]] = await recorded_trial(row, said["samples"], values)
            count += 1
    return count


if __name__ == "__main__":
    what, where = sys.argv[1:]
    requests = read_rows(Path("../shared/data") / ROWS)
    asyncio.run({"write": write, "take": take}[what](Path(where), Parts.of(requests)))
