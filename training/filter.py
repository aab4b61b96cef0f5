"""What is trained on, of what was sampled: `python -m training.filter ROWS SAMPLES OUT`.

Kept is what is right, general and in the form the product asks for; of one request no two
programs alike, more where the model is often wrong, and nothing much longer than usual.
"""

import argparse
import importlib.util
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from training.lines import read_lines, write_lines
from training.side_tasks import judge_side_task
from training.solutions import Judged, Run, crude, judge, run_plain

_LONGEST = 300  # tokens of a reply


def checker_of(path: Path) -> Callable[..., bool]:
    spec = importlib.util.spec_from_file_location("answer_check", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.is_right


def judged_row(
    pair: tuple[Mapping[str, Any], Sequence[str]], check: Path, run: Run = run_plain
) -> list[Judged]:
    """The replies to one row, each judged; equal ones once."""
    row, texts = pair
    checker = checker_of(check)
    known = {text: _judged(row, text, run, checker) for text in dict.fromkeys(texts)}
    return [known[text] for text in texts]


def _judged(row: Mapping[str, Any], text: str, run: Run, checker: Callable[..., bool]) -> Judged:
    side = row["check"] in ("arguments", "asserts")
    return judge_side_task(row, text) if side else judge(row, text, run, checker)


def judged_rows(
    pairs: Sequence[tuple[Mapping[str, Any], Sequence[str]]], check: Path, processes: int
) -> list[list[Judged]]:
    """All rows: in the sandbox, or with some processes in none."""
    if processes:
        with ProcessPoolExecutor(processes) as pool:
            return list(pool.map(partial(judged_row, check=check), pairs, chunksize=2))
    from training.sandboxed import sandbox_runner  # the GPU machine lacks what this needs

    with sandbox_runner() as run:
        return [judged_row(pair, check, run) for pair in pairs]


def chosen(texts: Sequence[str], tokens: Sequence[int], judged: Sequence[Judged]) -> list[str]:
    """The replies of one request that are trained on."""
    right = sum(one.right for one in judged) / max(1, len(judged))
    most = 4 if right <= 0.5 else 3 if right <= 0.8 else 2 if right < 1 else 1
    good = [at for at, one in enumerate(judged) if one.kept and tokens[at] <= _LONGEST]
    if not good:
        return []
    usual = statistics.median(tokens[at] for at in good)
    good = [at for at in good if tokens[at] <= 1.5 * usual]
    random.Random(texts[0]).shuffle(good)
    found: dict[str, str] = {}
    for at in good:
        found.setdefault(judged[at].shape, texts[at])
    return list(found.values())[:most]


def vote(values: Sequence[Any]) -> int | None:
    """The place of the first reply with the value given most often."""
    texts = [None if value is None else crude(value) for value in values]
    counted = Counter(text for text in texts if text is not None).most_common(1)
    return texts.index(counted[0][0]) if counted else None


def summary(judged: Sequence[Sequence[Judged]]) -> dict[str, float]:
    """Shares over the requests: the first reply, a plain vote, some reply; and of all replies."""
    votes = [vote([one.value for one in row]) for row in judged]
    every = [one for row in judged for one in row]
    count = max(1, len(judged))
    return {
        "requests": len(judged),
        "first": round(sum(row[0].right for row in judged) / count, 4),
        "vote": round(
            sum(at is not None and row[at].right for at, row in zip(votes, judged, strict=True))
            / count,
            4,
        ),
        "some": round(sum(any(one.right for one in row) for row in judged) / count, 4),
        "each": round(sum(one.right for one in every) / max(1, len(every)), 4),
        "general": round(sum(one.kept for one in every) / max(1, len(every)), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="rows with answers and their messages")
    parser.add_argument("samples", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--check", type=Path, default=Path("evals/data/check.py"))
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument(
        "--disposable",
        action="store_true",
        help="this machine is thrown away: plain processes instead of the sandbox, much quicker",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--only-score", action="store_true", help="print shares, keep nothing")
    what.add_argument("--judge", action="store_true", help="write what was found of each reply")
    options = parser.parse_args()
    began = time.monotonic()
    rows = {row["id"]: row for row in read_lines(options.rows)}
    samples = [one for one in read_lines(options.samples) if one["id"] in rows]
    pairs = [(rows[one["id"]], one["samples"]) for one in samples]
    judged = judged_rows(pairs, options.check, options.processes if options.disposable else 0)
    print(json.dumps(summary(judged)), f"{time.monotonic() - began:.0f} s", flush=True)
    _print_fields(rows, samples, judged)
    if options.judge:
        found = [{"id": one["id"], "judged": [asdict(each) for each in row]}
                 for one, row in zip(samples, judged, strict=True)]  # fmt: skip
        write_lines(options.out, found)
        return
    if options.only_score:
        values = [
            {"id": one["id"], "values": [each.value for each in row],
             "right": [each.right for each in row]}
            for one, row in zip(samples, judged, strict=True)
        ]  # fmt: skip
        write_lines(options.out, values)
        return
    kept = [
        {"id": one["id"], "messages": rows[one["id"]]["messages"], "reply": text.strip()}
        for one, row in zip(samples, judged, strict=True)
        for text in chosen(one["samples"], one["tokens"], row)
    ]
    write_lines(options.out, kept)
    print(f"{len(kept)} kept of {sum(map(len, judged))}, {len({k['id'] for k in kept})} requests")


def _print_fields(
    rows: Mapping[str, Mapping[str, Any]],
    samples: Sequence[Mapping[str, Any]],
    judged: Sequence[Sequence[Judged]],
) -> None:
    parts: dict[str, list[Sequence[Judged]]] = {}
    for one, row in zip(samples, judged, strict=True):
        known = rows[one["id"]]
        name = known.get("field") or one["id"].rstrip("0123456789-_")
        parts.setdefault(str(name), []).append(row)
    for name, members in sorted(parts.items()):
        print(f"  {name:28s} {json.dumps(summary(members))}")


if __name__ == "__main__":
    main()
