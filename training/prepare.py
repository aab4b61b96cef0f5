"""The files that sampling starts from: `python -m training.prepare SHARED OUT`.

SHARED is the folder with the public data. Prompts are the product's own, filled by its own code.
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from hammerstone.prompts import load
from hammerstone.run.solve.scope import within_reach
from training.general import general_rows
from training.kept_out import LIST, KeptOut, keys_in
from training.lines import read_lines, write_lines
from training.needs.all_needs import KEPT_OUT, NEEDS
from training.requests import kind_rows, need_rows, public_rows
from training.side_tasks import argument_rows, assert_rows

_MOST_TOKENS = 360  # as in run/solve/sampling.py


def solve_messages(request: str) -> list[dict[str, str]]:
    """What the solver sends for a request without files and memory."""
    words, scope = within_reach(request)
    filled = load("solve").fill(request=words, notes="\n".join(scope.notes))
    return [{"role": one.author, "content": one.text} for one in filled]


def with_prompt(row: dict[str, Any], n: int, *, greedy_first: bool = False) -> dict[str, Any]:
    """A row that can be sampled."""
    asked = {"messages": solve_messages(row["q"]), "n": n, "temperature": 0.8}
    return {**row, **asked, "max_tokens": _MOST_TOKENS, "greedy_first": greedy_first}


def side_rows(each: int, apart: KeptOut) -> list[dict[str, Any]]:
    """Arguments and asserts for the needs that are trained on."""
    needs = [need for need in NEEDS if need.name not in KEPT_OUT]
    rows = [*argument_rows(needs, each // 4), *assert_rows(needs, each // 8)]
    asked = {"n": 8, "temperature": 0.8}
    return [{**row, **asked} for row in rows if not apart.holds(row["q"])]


def code_rows(data: Path) -> list[dict[str, Any]]:
    """Functions to write from a specification, greedy: what the model can do in general."""
    tasks = read_lines(data / "synthesis_bank" / "tasks.jsonl.gz")
    with gzip.open(data / "synthesis_bank" / "mbpp.json.gz", "rt") as file:
        tasks += json.load(file)
    rows: list[dict[str, Any]] = []
    for task in tasks:
        filled = load("code_plain").fill(name=task["name"], spec=task["spec"])
        messages = [{"role": one.author, "content": one.text} for one in filled]
        rows.append({"id": task["task_id"], "messages": messages, "n": 1, "temperature": 0.0,
                     "max_tokens": 512})  # fmt: skip
    return rows


def test_files(data: Path, evals: Path) -> list[Path]:
    """Everything whose requests are kept for testing."""
    return [
        data / "requests" / "dev.jsonl",
        data / "requests" / "families.jsonl",
        evals / "plain_requests.jsonl",
        evals / "ten_requests.jsonl",
        evals / "conversations.json",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--public", type=int, default=7000)
    parser.add_argument("--each", type=int, default=16)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--evals", type=Path, default=Path("evals/data"))
    options = parser.parse_args()
    data = options.shared / "data"
    LIST.write_text("\n".join(keys_in(test_files(data, options.evals))) + "\n", "utf-8")
    apart = KeptOut.load()
    public, valid = public_rows(data / "training" / "requests.jsonl.gz", apart)
    train = [*need_rows(options.each, apart=apart), *public[: options.public], *kind_rows()]
    side = side_rows(options.each, apart)
    held = need_rows(6, kept_out=True)
    tests = {
        "dev": [(row, 8) for row in read_lines(data / "requests" / "dev.jsonl")],
        "families": [(row, 8) for row in read_lines(data / "requests" / "families.jsonl")],
        "plain": [(row, 8) for row in read_lines(options.evals / "plain_requests.jsonl")],
        "held": [(row, 8) for row in held],
        "valid": [(row, 8) for row in valid],  # to choose by, never to report
    }
    options.out.mkdir(parents=True, exist_ok=True)
    write_lines(
        options.out / "train.jsonl.gz", (with_prompt(row, options.samples) for row in train)
    )
    write_lines(options.out / "side.jsonl.gz", side)
    for name, rows in tests.items():
        write_lines(
            options.out / f"{name}.jsonl.gz",
            (with_prompt(row, n, greedy_first=True) for row, n in rows),
        )
    write_lines(options.out / "code.jsonl.gz", code_rows(data))
    write_lines(options.out / "general.jsonl.gz", general_rows(data))
    for path in sorted(options.out.iterdir()):
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
