"""An exported adapter against llama.cpp: `python -m training.export_check MODEL.gguf ADAPTER.gguf`.

The likeliest next tokens of 20 prompts by both, without and with the adapter: it may add no more
difference between the two than the bare model has, whose numbers llama.cpp rounds.
"""

import argparse
import importlib
import json
import statistics
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from training.qwen import LowRank, Qwen, masked_attention
from training.requests import need_rows
from training.sample import load_model
from training.tokens import REPLY, chat_text

_TOP = 10
_BEGINS = ("", "```python\n# asked: ", "```python\n# asked: the result\n# it is ")


def prompts(count: int) -> list[str]:
    """Requests of made needs in a short prompt, with the beginnings of a reply."""
    made = need_rows(1)
    rows = [made[at * len(made) // count] for at in range(count)]
    said = [{"role": "system", "content": "Reply with Python."}]
    return [
        chat_text([*said, {"role": "user", "content": row["q"]}]) + REPLY + _BEGINS[at % 3]
        for at, row in enumerate(rows)
    ]


def own_logs(model: Qwen, ids: list[int]) -> torch.Tensor:
    """The logarithms of the next token's probabilities."""
    mask = torch.ones((len(ids), len(ids)), dtype=torch.bool).tril()
    group = model.shape.heads // model.shape.kv_heads
    with torch.inference_mode():
        places = torch.arange(len(ids))[None]
        hidden = model.forward(torch.tensor([ids]), places, masked_attention(mask, group))
        return model.logits(hidden[0, -1]).float().log_softmax(-1)


def llama_logs(server: Any, key: str, ids: list[int]) -> dict[int, float]:
    """The same by llama.cpp, for the likeliest tokens."""
    body = {"prompt": ids, "n_predict": 1, "temperature": 0, "n_probs": _TOP}
    asked = urllib.request.Request(
        f"{server.listening_address}/completion",
        json.dumps({**body, "cache_prompt": False}).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked) as reply:
        said = json.load(reply)["completion_probabilities"][0]
    return {one["id"]: one["logprob"] for one in said["top_logprobs"]}


def apart(
    model: Qwen, path: Path, adapter: Path | None, tokens: list[list[int]]
) -> Iterator[tuple[float, bool]]:
    """For each prompt the mean difference over the likeliest tokens; whether the first agrees."""
    server_module = importlib.import_module("hammerstone.models.local.server")
    server = server_module._load(path, 2, "key", [adapter] if adapter else [])
    for ids in tokens:
        told, own = llama_logs(server, "key", ids), own_logs(model, ids)
        first = max(told, key=lambda token: told[token])
        mean = statistics.fmean(abs(float(own[token]) - value) for token, value in told.items())
        yield mean, int(own.argmax()) == first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--prompts", type=int, default=20)
    options = parser.parse_args()
    model, tokenizer = load_model(options.model, "cpu")
    tokens = [
        tokenizer.encode(text, add_special_tokens=False).ids for text in prompts(options.prompts)
    ]
    means: list[float] = []
    for adapter in (None, options.adapter):
        model.adapter = None if adapter is None else LowRank.load(adapter)
        found = list(apart(model, options.model, adapter, tokens))
        means.append(statistics.fmean(mean for mean, _ in found))
        print(f"{adapter or 'bare'}: {len(found)} prompts, mean difference {means[-1]:.4f}, "
              f"largest {max(mean for mean, _ in found):.4f}, "
              f"same first token {sum(same for _, same in found)}", flush=True)  # fmt: skip
    print(f"the adapter adds {means[1] - means[0]:+.4f}")


if __name__ == "__main__":
    main()
