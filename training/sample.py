"""Samples for a file of prompts: `python -m training.sample MODEL.gguf ROWS OUT --limit-s 300`.

Rows are lines `{id, messages: [{role, content}], n, temperature, max_tokens, greedy_first}`
(.jsonl or .jsonl.gz; the last four may be left out), results lines `{id, samples, tokens}` in the
order in which they are finished. What OUT holds already is not sampled again.
"""

import argparse
import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from training.gguf_file import GgufFile
from training.lines import read_lines
from training.qwen import LowRank, Qwen
from training.sampler import BatchSampler, SampleRequest
from training.tokens import tokenizer_of

_KEYS = ("id", "messages", "n", "temperature", "max_tokens", "greedy_first")


def load_model(
    path: Path, device: str, adapter: Path | None = None, scale: float = 1.0
) -> tuple[Qwen, Any]:
    """The network, in bfloat16 on a GPU, and its tokenizer; the adapter may be put on in part."""
    file = GgufFile(path)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    model = Qwen.load(file, device, dtype)
    if adapter is not None:
        model.adapter = LowRank.load(adapter).to(device, dtype)
        model.adapter.alpha *= scale
    return model, tokenizer_of(file.metadata)


def sample_file(
    sampler: BatchSampler, rows: list[dict[str, Any]], out: Path, limit_s: float
) -> int:
    """The rows sampled into a file, each written when it is finished; how many are missing."""
    return sample_files(sampler, {out: rows}, limit_s)


def sample_files(
    sampler: BatchSampler, rows: Mapping[Path, list[dict[str, Any]]], limit_s: float
) -> int:
    """Several files at once: slots stand empty only at the end of all of them."""
    asked: list[SampleRequest] = []
    belongs: dict[int, Path] = {}
    for path, members in rows.items():
        done = {row["id"] for row in read_lines(path)} if path.exists() else set()
        for row in members:
            if row["id"] not in done:
                asked.append(SampleRequest(**{key: row[key] for key in _KEYS if key in row}))
                belongs[id(asked[-1])] = path
    began, finished = time.monotonic(), 0
    told = began
    with ExitStack() as stack:
        files = {path: stack.enter_context(path.open("a", encoding="utf-8")) for path in rows}
        for row in sampler.run(asked, limit_s=limit_s):
            text = json.dumps(row.to_json(), ensure_ascii=False)
            files[belongs[id(row)]].write(text + "\n")
            finished += 1
            if time.monotonic() - told > 10:
                told = time.monotonic()
                rate = sampler.tokens / max(1e-9, told - began)
                print(f"{finished}/{len(asked)} rows, {rate:.0f} tokens/s", flush=True)
    seconds = time.monotonic() - began
    names = ", ".join(path.name for path in rows)
    print(f"{names}: {finished}/{len(asked)} rows in {seconds:.1f} s", flush=True)
    return len(asked) - finished


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("out", type=Path, help="a folder: one file a file of rows")
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="how much of the adapter")
    parser.add_argument("--limit-s", type=float, default=300.0)
    parser.add_argument("--slots", type=int, default=1024)
    parser.add_argument("--no-graphs", action="store_true", help="slower, for a doubt")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--tag", default="", help="added to the names of the files")
    options = parser.parse_args()
    end = time.monotonic() + options.limit_s
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    model, tokenizer = load_model(options.model, device, options.adapter, options.scale)
    print(f"loaded, {end - time.monotonic():.0f} s left", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    sampler = BatchSampler(model, tokenizer, slots=options.slots, graphs=not options.no_graphs)
    every = {
        options.out / f"{path.name.partition('.')[0]}{options.tag}.jsonl": read_lines(path)
        for path in options.rows
    }
    sample_files(sampler, every, end - time.monotonic())
    print(f"{sampler.tokens} tokens, {sampler.tokens / max(1e-9, sampler.seconds):.0f}/s")


if __name__ == "__main__":
    main()
