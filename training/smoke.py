"""A short look at a new machine: `python -m training.smoke MODEL.gguf ROWS [SLOTS ...]`.

Prints the likeliest next tokens of two prompts, to be held against another machine, tokens per
second with several numbers of slots, and the seconds of a training step.
"""

import random
import sys
import time
from pathlib import Path
from typing import Any

import torch

from training.lines import read_lines
from training.qwen import Qwen, masked_attention
from training.sample import load_model
from training.sampler import BatchSampler, SampleRequest
from training.tokens import REPLY, chat_text
from training.train import Plan, examples_of, train

_ASKED = ("A ticket costs 4.50. What do 7 tickets cost?", "Reverse the words of 'red blue green'.")


def likeliest(model: Qwen, tokenizer: Any, request: str) -> list[tuple[int, str, float]]:
    """The eight likeliest tokens after the beginning of a reply."""
    said = [{"role": "system", "content": "Reply with Python."}]
    text = chat_text([*said, {"role": "user", "content": request}]) + REPLY
    ids = tokenizer.encode(text + "```python\n# asked: ", add_special_tokens=False).ids
    mask = torch.ones((len(ids), len(ids)), dtype=torch.bool, device=model.device).tril()
    group = model.shape.heads // model.shape.kv_heads
    with torch.inference_mode():
        tokens = torch.tensor([ids], device=model.device)
        places = torch.arange(len(ids), device=model.device)[None]
        hidden = model.forward(tokens, places, masked_attention(mask, group))
        values, found = model.logits(hidden[0, -1]).float().log_softmax(-1).topk(8)
    return [
        (int(at), tokenizer.decode([int(at)]), round(float(value), 3))
        for at, value in zip(found, values, strict=True)
    ]


def main() -> None:
    path, rows_path = Path(sys.argv[1]), Path(sys.argv[2])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    began = time.monotonic()
    model, tokenizer = load_model(path, device)
    print(f"loaded in {time.monotonic() - began:.1f} s", flush=True)
    for request in _ASKED:
        print(likeliest(model, tokenizer, request), flush=True)
    rows = read_lines(rows_path)
    greedy = [
        [
            row.texts[0]
            for row in sorted(
                BatchSampler(model, tokenizer, slots=32, graphs=graphs).run(
                    [SampleRequest(row["id"], row["messages"], 1, 0.0, 60) for row in rows[:32]],
                    limit_s=60,
                ),
                key=lambda row: row.id,
            )
        ]
        for graphs in (True, False)
    ]
    same = sum(one == other for one, other in zip(*greedy, strict=True))
    print(f"{same} of {len(greedy[0])} greedy replies are the same with and without graphs")
    for slots in [int(one) for one in sys.argv[3:]] or [1024, 2048, 3072]:
        asked = [
            SampleRequest(row["id"], row["messages"], 8, 0.8, 300) for row in rows[: slots // 6]
        ]
        sampler = BatchSampler(model, tokenizer, slots=slots)
        done = list(sampler.run(asked, limit_s=60))
        print(f"{slots} slots: {sampler.tokens} tokens, {sampler.tokens / sampler.seconds:.0f}/s, "
              f"{len(done)}/{len(asked)} rows", flush=True)  # fmt: skip
        if device == "cuda":
            print(f"  {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB at most", flush=True)
            torch.cuda.empty_cache()
    print(done[0].texts[0], flush=True)
    replies = [{"messages": row["messages"], "reply": text} for row in rows[:400]
               for text in done[0].texts.values()]  # fmt: skip
    examples = examples_of(replies, tokenizer)
    random.Random(1).shuffle(examples)
    plan = Plan(epochs=1.0)
    began = time.monotonic()
    for step, loss in train(model, examples, plan):
        if step == 2:
            began = time.monotonic()
        if step == 12:
            each = (time.monotonic() - began) / 10
            print(f"a step of {plan.packs} x {plan.length} tokens: {each:.2f} s, loss {loss:.3f}")
            break
    if device == "cuda":
        print(f"  {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB at most", flush=True)


if __name__ == "__main__":
    main()
