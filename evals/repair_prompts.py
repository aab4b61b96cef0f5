"""The prompts of the repair evaluation as a file, to sample them on another machine.

    python -m evals.repair_prompts --data ../shared/data --out prompts.jsonl

Each row is {id, messages, n, temperature, max_tokens}. Of each bug there are: one plain prompt
that sees the same text as the repairer (`plain`), one that sees the bare code (`bare`), the
product's own (`fix`), and one from the description alone (`rewrite`). The bugs themselves go
into a file beside it, `..._bugs.jsonl`.
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from evals.bank_bugs import (
    TaskTruth,
    mutant_program,
    parts_of,
    truth_of,
    wrong_program,
)
from hammerstone.core.calls import Program
from hammerstone.core.chat import Message
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.bank.tasks import BankTask, read_bank
from hammerstone.evaluation.repair.broken_tools import bug_of, read_broken
from hammerstone.evaluation.repair.bugs import (
    FITTED,
    SHOWN,
    Bug,
    BugKind,
    KeptBug,
    bug_id,
    bug_to_json,
    read_bugs,
)
from hammerstone.evaluation.repair.plain_fix import MAX_TOKENS as PLAIN_TOKENS
from hammerstone.evaluation.repair.plain_fix import plain_messages
from hammerstone.learn.repair.author import MAX_TOKENS, fix_messages, rewrite_messages
from hammerstone.learn.repair.complaint import passed_cases
from hammerstone.sandbox import open_sandbox

SEED = 20
SAMPLES = 8
TEMPERATURE = 0.8
OF_EACH_BANK = 50  # bugs that are shown, and as many that numbers are fitted on
MUTANTS = 30  # of each bank

Maker = Callable[[TaskTruth, int, Sandbox], Awaitable[Bug | None]]


async def bugs(data: Path, sandbox: Sandbox, known: dict[str, KeptBug]) -> AsyncIterator[KeptBug]:
    """Every bug with what it is for; what is known already is not made again."""
    for name in ("humaneval", "mbpp"):
        tasks = parts_of(read_bank(data / "synthesis_bank" / f"{name}.json.gz"), SEED)
        wanted: list[tuple[str, BugKind, Maker, int]] = [
            (SHOWN, BugKind.MODEL, wrong_program, OF_EACH_BANK),
            (FITTED, BugKind.MODEL, wrong_program, OF_EACH_BANK),
            (SHOWN, BugKind.MUTANT, mutant_program, MUTANTS),
        ]
        left: list[BankTask] = []
        for part, kind, maker, count in wanted:
            if kind is BugKind.MUTANT:  # what shows no wrong program may show a mutant
                tasks = [*left, *tasks]
            while tasks and count:
                task = tasks.pop(0)
                kept = known.get(bug_id(kind, task.id))
                bug = kept.bug if kept else None
                if bug is None:
                    bug = await maker(await truth_of(task, sandbox), SEED, sandbox)
                if bug is None:
                    left.append(task)
                    continue
                count -= 1
                yield KeptBug(bug, part)
    for task in read_broken(data / "repair" / "humanevalfix.jsonl"):
        name = bug_id(BugKind.PEOPLE, task.task_id)
        if name in known:
            yield known[name]
            continue
        yield KeptBug(await bug_of(task, sandbox))


async def rows_of(bug: Bug, sandbox: Sandbox) -> list[dict[str, Any]]:
    complaint = bug.complaint
    cases = complaint.cases
    program = Program(complaint.code, complaint.function)
    (row,) = await sandbox.matrix([program], [case.call for case in cases], case_wall_s=2.0)
    passed = passed_cases(cases, row)
    fix = fix_messages(complaint, passed)
    rewrite = rewrite_messages(complaint)
    return [
        _row(bug, "plain", plain_messages(complaint), 1, 0.0, PLAIN_TOKENS),
        _row(bug, "bare", plain_messages(complaint, bare=True), 1, 0.0, PLAIN_TOKENS),
        _row(bug, "fix_greedy", fix, 1, 0.0, MAX_TOKENS),
        _row(bug, "fix", fix, SAMPLES, TEMPERATURE, MAX_TOKENS),
        _row(bug, "rewrite_greedy", rewrite, 1, 0.0, MAX_TOKENS),
        _row(bug, "rewrite", rewrite, SAMPLES, TEMPERATURE, MAX_TOKENS),
    ]


def _row(
    bug: Bug, kind: str, messages: tuple[Message, ...], n: int, temperature: float, tokens: int
) -> dict[str, Any]:
    said = [{"role": message.author, "content": message.text} for message in messages]
    return {
        "id": f"{bug.id}#{kind}",
        "messages": said,
        "n": n,
        "temperature": temperature,
        "max_tokens": tokens,
    }


def _write(file: TextIO, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    file.flush()


async def write(data: Path, out: Path) -> None:
    """Both files, going on where a run that was broken off stopped."""
    sandbox = await open_sandbox(load_settings())
    began = time.monotonic()
    beside = out.with_name(f"{out.stem}_bugs.jsonl")
    known = {one.bug.id: one for one in read_bugs(beside)} if beside.exists() else {}
    try:
        with out.open("a", encoding="utf-8") as prompts, beside.open("a", encoding="utf-8") as kept:
            async for one in bugs(data, sandbox, known):
                if one.bug.id in known:
                    continue
                _write(prompts, await rows_of(one.bug, sandbox))
                _write(kept, [bug_to_json(one)])
                print(f"{time.monotonic() - began:.0f} s {one.part} {one.bug.id}", flush=True)
    finally:
        await sandbox.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    asyncio.run(write(given.data, given.out))


if __name__ == "__main__":
    main()
