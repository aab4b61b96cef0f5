"""The recorded samples of the repair evaluation, packed from the replies to its prompts.

    python -m evals.repair_samples --bugs B --rows replies.jsonl --model NAME --out F.json.gz

A row is {id, samples, tokens} with the ids of `evals.repair_prompts`. Kept are the code in each
reply and the tokens it took, not the reply.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hammerstone.evaluation.repair.bugs import Bug, read_bugs
from hammerstone.evaluation.repair.recorded_fixes import (
    FIX_WAY,
    PLAIN_WAY,
    REWRITE_WAY,
    prompts_mark,
)
from hammerstone.synthesis.code.replies import code_in

WAYS = {
    "plain": PLAIN_WAY,
    "fix_greedy": FIX_WAY,
    "fix": FIX_WAY,
    "rewrite_greedy": REWRITE_WAY,
    "rewrite": REWRITE_WAY,
}
"""The prompts that are kept; the reply at temperature 0 comes before the others."""


def packed(bugs: Sequence[Bug], rows: list[dict[str, Any]], model: str) -> bytes:
    """The bank: every code once, and for each bug and way the places of its codes."""
    codes: dict[str, int] = {}
    found: dict[str, dict[str, list[list[int]]]] = {}
    by_id = {row["id"]: row for row in rows}
    for bug in sorted(bug.id for bug in bugs):
        ways: dict[str, list[list[int]]] = {}
        for way, kept in WAYS.items():
            row = by_id[f"{bug}#{way}"]
            for text, tokens in zip(row["samples"], row["tokens"], strict=True):
                place = codes.setdefault(code_in(text), len(codes))
                ways.setdefault(kept, []).append([place, tokens])
        found[bug] = ways
    asked = {bug.id: prompts_mark(bug.complaint) for bug in bugs}
    bank = {"model": model, "codes": list(codes), "asked": asked, "samples": found}
    text = json.dumps(bank, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    lines = given.rows.read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line.strip()]
    bugs = [kept.bug for kept in read_bugs(given.bugs)]
    given.out.write_bytes(packed(bugs, rows, given.model))


if __name__ == "__main__":
    main()
