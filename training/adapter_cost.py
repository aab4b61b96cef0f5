"""What an adapter costs: `python -m training.adapter_cost MODEL.gguf ADAPTER.gguf [--rounds 2]`.

Load time, tokens per second (one sample, and four side by side), and memory of the model process
without and with it; each in a process of its own, in turns, medians printed.
"""

import argparse
import importlib
import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hammerstone.prompts import load
from training.tokens import REPLY, chat_text

_TOKENS = 48
_QUESTION = "I save 45 euros a month and have 320 already. How many months until I have 1,000?"


def measured(model: Path, adapter: Path | None) -> dict[str, float]:
    """Numbers of this process, which loads the model."""
    server_module = importlib.import_module("hammerstone.models.local.server")
    began = time.monotonic()
    server = server_module._load(model, 2, "key", [adapter] if adapter else [])
    found = {"load_s": time.monotonic() - began}
    said = load("solve").fill(request=_QUESTION, notes="")
    prompt = chat_text([{"role": one.author, "content": one.text} for one in said]) + REPLY
    first = _completion(server, prompt, 1)
    found["prompt_tokens_per_s"] = first["prompt_per_second"]
    found["tokens_per_s"] = _completion(server, prompt, _TOKENS)["predicted_per_second"]
    began = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: _completion(server, prompt, _TOKENS), range(4)))
    found["tokens_per_s_of_4"] = 4 * _TOKENS / (time.monotonic() - began)
    status = Path("/proc/self/status").read_text()
    resident = re.search(r"VmRSS:\s+(\d+)", status)
    found["memory_mb"] = int(resident.group(1)) / 1024 if resident else 0.0
    return found


def _completion(server: Any, prompt: str, tokens: int) -> dict[str, float]:
    body = {"prompt": prompt, "n_predict": tokens, "ignore_eos": True, "cache_prompt": True}
    asked = urllib.request.Request(
        f"{server.listening_address}/completion",
        json.dumps(body).encode(),
        {"Authorization": "Bearer key", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked) as reply:
        return json.load(reply)["timings"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--one", choices=["without", "with"], help="only one, in this process")
    options = parser.parse_args()
    if options.one:
        adapter = options.adapter if options.one == "with" else None
        print(json.dumps(measured(options.model, adapter)), flush=True)
        return
    found: dict[str, list[dict[str, float]]] = {"without": [], "with": []}
    for _ in range(options.rounds):
        for way, runs in found.items():
            asked = [sys.executable, "-m", "training.adapter_cost", str(options.model)]
            asked += [str(options.adapter), "--one", way]
            done = subprocess.run(asked, capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout.strip().splitlines()[-1]))
            print(way, runs[-1], flush=True)
    for name in found["with"][0]:
        without, having = (
            statistics.median(run[name] for run in found[way]) for way in ("without", "with")
        )
        print(f"{name:22s} {without:9.2f} {having:9.2f}  {having / without:.3f} x")


if __name__ == "__main__":
    main()
