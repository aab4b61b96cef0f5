"""An adapter from right solutions: `python -m training.train MODEL.gguf ROWS OUT.gguf`.

Rows are lines `{messages, reply}`; the loss is on the reply alone. Replies to prompts that begin
alike are packed behind one copy of that beginning, each seeing it and itself only, which is the
same as training on each alone and several times less work. Plain torch, one GPU, minutes.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from training.lines import read_lines
from training.qwen import LowRank, Qwen, masked_attention
from training.sample import load_model
from training.tokens import REPLY, chat_text

_END = "<|im_end|>"
_RARE = -math.log(0.02)


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens before the shared beginning's end are not here; the loss is on the last `loss`."""

    begin: tuple[int, ...]
    tokens: tuple[int, ...]
    loss: int
    weight: float = 1.0  # below zero: to be made less likely


@dataclass(frozen=True, slots=True)
class Pack:
    """Examples behind one beginning; `owner` is 0 for the beginning, then 1, 2, ..."""

    tokens: list[int]
    owner: list[int]
    place: list[int]
    target: list[int]  # the next token where it counts, else -100
    weight: list[float]


@dataclass(frozen=True, slots=True)
class Plan:
    """How an adapter is trained."""

    rank: int = 8
    alpha: float = 16.0
    targets: str = "q,k,v,o,up,down"
    rate: float = 3e-4
    epochs: float = 2.0
    length: int = 4096
    packs: int = 2
    seed: int = 7
    limit_s: float = 400.0


def examples_of(rows: Sequence[dict[str, Any]], tokenizer: Any) -> list[Example]:
    """Prompts and replies as tokens."""
    known: dict[str, tuple[int, ...]] = {}

    def encode(text: str) -> tuple[int, ...]:
        return tuple(tokenizer.encode(text, add_special_tokens=False).ids)

    found: list[Example] = []
    for row in rows:
        begin = chat_text(row["messages"][:-1])
        if begin not in known:
            known[begin] = encode(begin)
        prompt = encode(chat_text(row["messages"])[len(begin) :] + REPLY)
        reply = encode(row["reply"] + _END)
        weight = float(row.get("weight", 1.0))
        found.append(Example(known[begin], prompt + reply, len(reply), weight))
    return found


def packs_of(examples: Sequence[Example], length: int, chance: random.Random) -> list[Pack]:
    """Examples in a new order, packed to at most `length` tokens; longer ones are left out."""
    groups: dict[tuple[int, ...], list[Example]] = {}
    for one in examples:
        if len(one.begin) + len(one.tokens) <= length:
            groups.setdefault(one.begin, []).append(one)
    packs: list[Pack] = []
    for begin, members in groups.items():
        chance.shuffle(members)
        room, part = length - len(begin), list[Example]()
        for one in members:
            if sum(len(other.tokens) for other in part) + len(one.tokens) > room:
                packs.append(_packed(begin, part))
                part = []
            part.append(one)
        packs.append(_packed(begin, part))
    chance.shuffle(packs)
    return packs


def _packed(begin: tuple[int, ...], part: Sequence[Example]) -> Pack:
    size = len(begin)
    pack = Pack(list(begin), [0] * size, list(range(size)), [-100] * size, [0.0] * size)
    for number, one in enumerate(part, 1):
        count = len(one.tokens)
        pack.tokens.extend(one.tokens)
        pack.owner.extend([number] * count)
        pack.place.extend(range(size, size + count))
        pack.weight.extend([one.weight] * count)
        silent = count - one.loss - 1
        pack.target.extend([-100] * silent + list(one.tokens[silent + 1 :]) + [-100])
    return pack


def pack_loss(model: Qwen, packs: Sequence[Pack]) -> torch.Tensor:
    """The sum over all reply tokens of what each costs, weighed.

    A token that is to be less likely and is rare already is left alone: its cost has no end.
    """
    width = -(-max(len(pack.tokens) for pack in packs) // 64) * 64

    def table(name: str, filler: float) -> torch.Tensor:
        lines = [getattr(pack, name) for pack in packs]
        padded = [[*line, *[filler] * (width - len(line))] for line in lines]
        return torch.tensor(padded, device=model.device)

    tokens, owner, place = table("tokens", 0), table("owner", -1), table("place", 0)
    target = table("target", -100)
    same = owner[:, :, None] == owner[:, None, :]
    begin = (owner == 0)[:, None, :] & (owner >= 0)[:, :, None]
    order = torch.ones((width, width), dtype=torch.bool, device=model.device).tril()
    mask = ((same | begin) & order)[:, None]
    group = model.shape.heads // model.shape.kv_heads
    with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        hidden = model.forward(tokens, place, masked_attention(mask, group))
    counts = target != -100
    cost = F.cross_entropy(model.logits(hidden[counts]).float(), target[counts], reduction="none")
    weight = table("weight", 0.0)[counts]
    rare = (weight < 0) & (cost.detach() > _RARE)
    return (cost * weight.masked_fill(rare, 0.0)).sum()


def train(
    model: Qwen, examples: Sequence[Example], plan: Plan, start: LowRank | None = None
) -> Iterator[tuple[int, float]]:
    """Trains a new adapter, or one that was trained before, which is left in `model.adapter`;
    (step, mean loss) of each step."""
    adapter = start or model.new_adapter(plan.rank, plan.alpha, plan.targets.split(","), plan.seed)
    model.adapter = adapter
    learner = Learner(adapter)
    queue = _batches(examples, plan, random.Random(plan.seed))
    began = time.monotonic()
    for step, batch in enumerate(queue):
        # Whichever is further: the steps that are planned, or the time that is given.
        passed = max(step / len(queue), (time.monotonic() - began) / plan.limit_s)
        if passed >= 1:
            break
        warm = min(1.0, (step + 1) / 20)
        fall = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * passed))
        yield step, learner.step(model, [batch], plan.rate * warm * fall)
    for one in adapter.parameters():
        one.requires_grad_(False)


class Learner:
    """An adapter's numbers and how they move."""

    def __init__(self, adapter: LowRank) -> None:
        self.adapter = adapter
        for one in adapter.parameters():
            one.requires_grad_(True)
        self._optimizer = torch.optim.AdamW(
            adapter.parameters(), lr=0.0, weight_decay=0.0, betas=(0.9, 0.98)
        )

    def step(self, model: Qwen, batches: Sequence[Sequence[Pack]], rate: float) -> float:
        """One step over several batches; the mean cost of a reply token."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        packs = [pack for batch in batches for pack in batch]
        count = max(1, sum(one != -100 for pack in packs for one in pack.target))
        total = 0.0
        for batch in batches:
            loss = pack_loss(model, batch) / count
            loss.backward()
            total += float(loss.detach())
        norm = torch.nn.utils.clip_grad_norm_(self.adapter.parameters(), 1.0)
        if torch.isfinite(norm):
            self._optimizer.step()
        else:
            print("a gradient is not finite: the step is left out", flush=True)
        self._optimizer.zero_grad(set_to_none=True)
        return total


def _batches(examples: Sequence[Example], plan: Plan, chance: random.Random) -> list[list[Pack]]:
    packs: list[Pack] = []
    once = len(packs_of(examples, plan.length, random.Random(0)))
    while len(packs) < once * plan.epochs:
        packs += packs_of(examples, plan.length, chance)
    packs = packs[: max(1, round(once * plan.epochs))]
    return [packs[at : at + plan.packs] for at in range(0, len(packs), plan.packs)]


@torch.no_grad()
def mean_loss(model: Qwen, examples: Sequence[Example], plan: Plan) -> float:
    """What a reply token costs on examples that are not trained on."""
    packs = packs_of(examples, plan.length, random.Random(1))
    total = sum(float(pack_loss(model, [pack])) for pack in packs)
    return total / max(1, sum(one.loss for one in examples))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("out", type=Path)
    plan = Plan()
    for name in ("rank", "alpha", "targets", "rate", "epochs", "length", "packs", "seed"):
        value = getattr(plan, name)
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("--limit-s", type=float, default=plan.limit_s)
    parser.add_argument("--held-out", type=int, default=200)
    options = vars(parser.parse_args())
    model_path, rows_path = options.pop("model"), options.pop("rows")
    out, held_out = options.pop("out"), options.pop("held_out")
    plan = Plan(**options)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(plan.seed)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True
    model, tokenizer = load_model(model_path, device)
    rows = read_lines(rows_path)
    random.Random(plan.seed).shuffle(rows)
    examples = examples_of(rows, tokenizer)
    kept, seen = examples[:held_out], examples[held_out:]
    print(f"{len(seen)} examples, {sum(len(e.tokens) for e in seen)} tokens; {plan}", flush=True)
    print(f"held out before: {mean_loss(model, kept, plan):.4f}", flush=True)
    began, losses = time.monotonic(), list[float]()
    for step, loss in train(model, seen, plan):
        losses.append(loss)
        if step % 20 == 19:
            recent = sum(losses[-20:]) / len(losses[-20:])
            print(f"step {step + 1}: {recent:.4f}, {time.monotonic() - began:.0f} s", flush=True)
    assert isinstance(model.adapter, LowRank)
    model.adapter.save(out)
    print(f"held out after: {mean_loss(model, kept, plan):.4f}; {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
