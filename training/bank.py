"""Tested replies as a bank of solutions: `python -m training.bank FOLDER OUT.json.gz`.

What `hammerstone eval answers --bank OUT.json.gz --prompts live` chooses answers from and fits
the sureness to.
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from training.lines import read_lines


def bank_of(folder: Path, name: str = "dev") -> list[dict[str, Any]]:
    """A row a request: its replies, their values, and which are right."""
    scored = {row["id"]: row for row in read_lines(folder / f"{name}_scored.jsonl")}
    return [
        {
            "id": row["id"],
            "prompt": "live",
            "samples": row["samples"],
            "values": scored[row["id"]]["values"],
            "right": scored[row["id"]]["right"],
        }
        for row in sorted(read_lines(folder / f"{name}.jsonl"), key=lambda row: row["id"])
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", default="dev")
    options = parser.parse_args()
    text = json.dumps(bank_of(options.folder, options.set), ensure_ascii=False)
    # No time in the header: the same replies are the same file.
    options.out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
