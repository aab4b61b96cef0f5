"""Replies of the bare model with a text pasted in: `python -m training.pasted MODEL ROWS OUT`.

Rows are `{id, messages}` whose last message ends with the question; all that stands before the
question is read once for all rows that have it in common. Each row has one greedy reply.
"""

import sys
from collections import defaultdict
from pathlib import Path

import torch

from training.lines import read_lines, write_lines
from training.sample import load_model
from training.sampler import BatchSampler, SampleRequest, _Group
from training.tokens import REPLY, chat_text

_QUESTION = "Question: "
_LIMIT_S = 200.0


def main() -> None:
    model_path, rows_path, out = map(Path, sys.argv[1:4])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, tokenizer = load_model(model_path, device)
    begins: defaultdict[str, list[SampleRequest]] = defaultdict(list)
    for row in read_lines(rows_path):
        text = chat_text(row["messages"]) + REPLY
        at = text.rindex(_QUESTION)
        asked = SampleRequest(row["id"], row["messages"], 1, 0.0, 60)
        asked.prompt = tokenizer.encode(text[at:], add_special_tokens=False).ids
        begins[text[:at]].append(asked)
    sampler = BatchSampler(model, tokenizer, slots=256)
    found: list[dict[str, object]] = []
    with torch.inference_mode():
        for begin, members in begins.items():
            prefix = tokenizer.encode(begin, add_special_tokens=False).ids
            print(f"{len(prefix)} tokens, {len(members)} questions", flush=True)
            group = _Group(prefix, members)
            found += [row.to_json() for row in sampler._run_group(group, _LIMIT_S + 1e9)]
    write_lines(out, found)


if __name__ == "__main__":
    main()
