"""Other ways to ask a model about a run, sampled elsewhere and taken in.

    python -m evals.judge_rows write FOLDER    judge_*.jsonl for training/sample.py
    python -m evals.judge_rows take FOLDER     what it wrote there, recorded

The product's judge of runs is shown the answer. `result` and `steps` are not: they work the
request out, and code holds their result against the answer. `pair` is shown the answer and the
one that came next in the vote, each of them first once. Read by `evals/judges.py`.
"""

import asyncio
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from evals.judge_words import WORDS
from evals.recorded_runs import BANK, PROMPT, ROWS, KnownRun, runs_of
from hammerstone.core.chat import Message
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.answers.answer_rows import read_bank, read_rows
from hammerstone.guard.data import as_data
from hammerstone.prompts import read
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.sandbox import open_sandbox

TEXTS, DATA = Path(__file__).parent / "data/judges", Path("../shared/data")
WAYS = ("result", "steps", "pair")
MOST_TOKENS = {"result": 300, "steps": 360, "pair": 300}
WORDS_EACH, PAIR_WORDS = 8, 4
_LONGEST, _ANSWER = 2_000, 500


def questions(way: str, run: KnownRun) -> Iterator[tuple[str, tuple[Message, ...]]]:
    """What a way asks about a run, by the key under which the words are recorded."""
    facts = run.facts
    asked = as_data("request", facts.request, _LONGEST)
    template = read(way, (TEXTS / f"{way}.md").read_text("utf-8"))
    if way != "pair":
        yield facts.run_id, template.fill(request=asked)
    elif facts.answered and run.second:
        shown = [as_data("answer", one, _ANSWER) for one in (facts.given, run.second)]
        for order, (first, second) in {"A": shown, "B": shown[::-1]}.items():
            yield (
                f"{facts.run_id} {order}",
                template.fill(request=asked, first=first, second=second),
            )


def rows_of(way: str, runs: Sequence[KnownRun]) -> list[dict[str, object]]:
    return [
        {
            "id": key,
            "messages": [{"role": one.author, "content": one.text} for one in messages],
            "n": PAIR_WORDS if way == "pair" else WORDS_EACH,
            "temperature": 0.8,
            "max_tokens": MOST_TOKENS[way],
            "greedy_first": True,
        }
        for run in runs
        for key, messages in questions(way, run)
    ]


async def write(folder: Path) -> None:
    bank = [one for one in read_bank(DATA / BANK) if one.prompt == PROMPT]
    sandbox = await open_sandbox(load_settings())
    runs = await runs_of(read_rows(DATA / ROWS), bank, AnswerPolicy(), sandbox)
    await sandbox.close()
    for way in WAYS:
        rows = rows_of(way, runs)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"judge_{way}.jsonl").write_text("".join(lines), "utf-8")
        print(f"judge_{way}.jsonl: {len(rows)} rows")


async def take(folder: Path) -> None:
    kept = json.loads(gzip.decompress(WORDS.read_bytes()))
    for way in WAYS:
        lines = (folder / f"judge_{way}.jsonl").read_text("utf-8").splitlines()
        said = [json.loads(line) for line in lines]
        kept[way] = {one["id"]: one["samples"] for one in said if not one.get("partial")}
        print(f"judge_{way}.jsonl: {len(kept[way])} of {len(lines)} lines taken in")
    WORDS.write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))


if __name__ == "__main__":
    what, where = sys.argv[1:]
    asyncio.run({"write": write, "take": take}[what](Path(where)))
