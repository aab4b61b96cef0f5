"""The recorded samples of the repair evaluation, packed from the replies to its prompts.

    python -m evals.repair_samples --rows replies.jsonl --model NAME --out evals/data/F.json.gz

A row is {id, samples, tokens} with the ids of `evals.repair_prompts`. Kept are the code in each
reply and the tokens it took, not the reply.
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from hammerstone.evaluation.repair.recorded_fixes import FIX_WAY, PLAIN_WAY, REWRITE_WAY
from hammerstone.prompts import load
from hammerstone.synthesis.replies import code_in

WAYS = {
    "plain": PLAIN_WAY,
    "fix_greedy": FIX_WAY,
    "fix": FIX_WAY,
    "rewrite_greedy": REWRITE_WAY,
    "rewrite": REWRITE_WAY,
}
"""The prompts that are kept; the reply at temperature 0 comes before the others."""


def packed(rows: list[dict[str, Any]], model: str) -> bytes:
    """The bank: every code once, and for each bug and way the places of its codes."""
    codes: dict[str, int] = {}
    found: dict[str, dict[str, list[list[int]]]] = {}
    by_id = {row["id"]: row for row in rows}
    for bug in sorted({name.rsplit("#", 1)[0] for name in by_id}):
        ways: dict[str, list[list[int]]] = {}
        for way, kept in WAYS.items():
            row = by_id[f"{bug}#{way}"]
            for text, tokens in zip(row["samples"], row["tokens"], strict=True):
                place = codes.setdefault(code_in(text), len(codes))
                ways.setdefault(kept, []).append([place, tokens])
        found[bug] = ways
    versions = {name: load(name).version for name in ("fix", "rewrite", "fix_plain")}
    bank = {"model": model, "prompts": versions, "codes": list(codes), "samples": found}
    text = json.dumps(bank, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    lines = given.rows.read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line.strip()]
    given.out.write_bytes(packed(rows, given.model))


if __name__ == "__main__":
    main()
