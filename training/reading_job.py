"""A reader's adapter on a GPU: `python -m training.reading_job MODEL JOB OUT`.

JOB holds `cases.jsonl.gz` (training/reading.py), `prompts.json` (the reader's prompt, the one that
the bare model reads with, and the one that rewords) and `tests.jsonl.gz`. First the bare model
rewords every question and reads all of them; what its readings do not bear out is left out. Then
the adapter is trained. Then the tests are read with it. `--rows` begins with rows that are made
already, `--start` with an adapter; `--only-test` trains nothing. All in one process, since loading
takes as long as testing.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from training.lines import read_lines, write_lines
from training.qwen import LowRank, masked_attention
from training.reading import (
    NOT_STATED,
    Messages,
    examples,
    filled,
    is_answered,
    is_misleading,
    plain,
)
from training.sample import load_model
from training.sampler import BatchSampler, SampleRequest
from training.train import Example, Plan, examples_of, mean_loss, train

_SHORT = 24  # tokens of a reading


class ReaderJob:
    """The model with its tokenizer, and what is asked of it."""

    def __init__(self, model_path: Path, job: Path, out: Path, slots: int) -> None:
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model, self.tokenizer = load_model(model_path, self.device)
        self.prompts = json.loads((job / "prompts.json").read_text("utf-8"))
        self.out, self.slots = out, slots
        self.began = time.monotonic()

    def note(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:.0f} s: {text}", flush=True)

    def samples(self, rows: list[SampleRequest], limit_s: float) -> dict[str, list[str]]:
        sampler = BatchSampler(self.model, self.tokenizer, slots=self.slots)
        done = sampler.run(rows, limit_s=limit_s)
        return {row.id: [row.texts[at] for at in sorted(row.texts)] for row in done}

    def borne_out(self, cases: list[dict[str, Any]], readings: int, limit_s: float) -> list[Any]:
        """The cases whose answers the bare model's readings bear out, with what is misleading."""
        asked = [
            SampleRequest(str(at), filled(self.prompts["reword"], "", case["q"]), 1, 0.7, 40)
            for at, case in enumerate(cases)
        ]
        for at, texts in self.samples(asked, limit_s / 3).items():
            said = texts[0].strip().split("\n")[0]
            case = cases[int(at)]
            if said.endswith("?") and plain(said) != plain(case["q"]):
                case["reworded"] = said
        self.note("reworded")
        rows: list[SampleRequest] = []
        for at, case in enumerate(cases):
            questions = {"q": case["q"], "r": case.get("reworded", "")}
            questions |= {str(n): text for n, (_, text) in enumerate(case["changed"])}
            for name, text in questions.items():
                if text:
                    said = filled(self.prompts["bare"], case["excerpt"], text)
                    rows.append(SampleRequest(f"{at}:{name}", said, readings, 0.8, _SHORT))
        random.Random(1).shuffle(rows)
        read = self.samples(rows, limit_s)
        self.note(f"{len(read)} of {len(rows)} questions read")
        return [kept for at, case in enumerate(cases) if (kept := _kept(at, case, read))]

    def trained(
        self, rows: list[dict[str, Any]], plan: Plan, held: int, start: LowRank | None
    ) -> LowRank:
        made = [
            {"messages": filled(self.prompts["reader"], r["passages"], r["question"]),
             "reply": r["reply"]}
            for r in rows
        ]  # fmt: skip
        every = examples_of(made, self.tokenizer)
        kept, seen = every[:held], every[held:]
        self.note(f"{len(seen)} examples, {sum(len(e.tokens) for e in seen)} tokens; {plan}")
        losses: list[float] = []
        for step, loss in train(self.model, seen, plan, start):
            losses.append(loss)
            if step % 20 == 19:
                self.note(f"step {step + 1}: {sum(losses[-20:]) / 20:.4f}")
        self.note(f"held out: {mean_loss(self.model, kept, plan):.4f}")
        assert isinstance(self.model.adapter, LowRank)
        return self.model.adapter

    def tested(self, tests: Sequence[dict[str, Any]], replies: int) -> list[dict[str, Any]]:
        """Each test with replies, the first greedy, and the logarithm of the chance of a no."""
        self.model.adapter = self.model.adapter and self.model.adapter.to(
            self.device, self.model.dtype
        )
        rows: list[SampleRequest] = []
        denied: list[tuple[str, Example]] = []
        for test in tests:
            for name in ("excerpt", "whole"):
                said = filled(self.prompts["reader"], test[name], test["q"])
                id = f"{test['id']}|{name}"
                rows.append(SampleRequest(id, said, replies, 0.8, 40, greedy_first=True))
                denied.append((id, self._denied(said)))
            for number, text in enumerate(test.get("each", ())):
                said = filled(self.prompts["reader"], text, test["q"])
                denied.append((f"{test['id']}|{number}", self._denied(said)))
        texts = self.samples(rows, 90)
        chances = dict(
            zip([id for id, _ in denied], self.chances([e for _, e in denied]), strict=True)
        )
        return [{"id": id, "samples": texts.get(id, []), "no": chances[id]} for id in chances]

    def _denied(self, said: Messages) -> Example:
        return examples_of([{"messages": said, "reply": NOT_STATED}], self.tokenizer)[0]

    @torch.inference_mode()
    def chances(self, every: Sequence[Example]) -> list[float]:
        """The logarithm of the chance of each example's reply."""
        found: list[float] = [0.0] * len(every)
        order = sorted(range(len(every)), key=lambda at: len(every[at].tokens))
        group = self.model.shape.heads // self.model.shape.kv_heads
        for start in range(0, len(order), 32):
            part = order[start : start + 32]
            lines = [[*every[at].begin, *every[at].tokens] for at in part]
            width = max(map(len, lines))
            ids = torch.tensor(
                [[*one, *[0] * (width - len(one))] for one in lines], device=self.device
            )
            mask = torch.ones((width, width), dtype=torch.bool, device=self.device).tril()
            places = torch.arange(width, device=self.device)[None].expand(len(part), -1)
            hidden = self.model.forward(ids, places, masked_attention(mask, group))
            for row, at in enumerate(part):
                last, size = len(lines[row]), every[at].loss
                said = self.model.logits(hidden[row, last - size - 1 : last - 1]).float()
                wanted = ids[row, last - size : last]
                found[at] = float(said.log_softmax(-1).gather(1, wanted[:, None]).sum())
        return found


def _kept(at: int, case: dict[str, Any], read: dict[str, list[str]]) -> dict[str, Any] | None:
    if not is_answered(case["a"], read.get(f"{at}:q", [])):
        return None
    reworded = case.get("reworded", "")
    if not is_answered(case["a"], read.get(f"{at}:r", [])):
        reworded = ""
    misleading = [
        (kind, text)
        for n, (kind, text) in enumerate(case["changed"])
        if (said := read.get(f"{at}:{n}")) and is_misleading(kind, case["a"], case["excerpt"], said)
    ]
    return {**case, "reworded": reworded, "misleading": misleading}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("job", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=Path, help="examples, made already")
    parser.add_argument("--start", type=Path, help="an adapter that is trained further")
    parser.add_argument("--only-test", action="store_true")
    parser.add_argument("--readings", type=int, default=3)
    parser.add_argument("--read-s", type=float, default=90.0)
    parser.add_argument("--train-s", type=float, default=150.0)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--packs", type=int, default=2)
    parser.add_argument("--targets", default="q,k,v,o,up,down")
    parser.add_argument("--held-out", type=int, default=300)
    parser.add_argument("--slots", type=int, default=2048)
    options = parser.parse_args()
    torch.manual_seed(5)
    options.out.mkdir(parents=True, exist_ok=True)
    job = ReaderJob(options.model, options.job, options.out, options.slots)
    job.note("loaded")
    tests = read_lines(options.job / "tests.jsonl.gz")
    start = LowRank.load(options.start).to(job.device, torch.float32) if options.start else None
    if options.only_test:
        job.model.adapter = start
        write_lines(options.out / "tests.jsonl.gz", job.tested(tests, 8))
        job.note("done")
        return
    if options.rows:
        rows = read_lines(options.rows)
    else:
        cases = read_lines(options.job / "cases.jsonl.gz")
        cases = job.borne_out(cases, options.readings, options.read_s)
        rows = list(examples(cases, 3))
        hand = options.job / "hand.jsonl.gz"
        rows += read_lines(hand) if hand.exists() else []
        write_lines(options.out / "rows.jsonl.gz", rows)
    random.Random(3).shuffle(rows)
    plan = Plan(
        rank=options.rank, targets=options.targets, rate=options.rate, epochs=options.epochs,
        length=options.length, packs=options.packs, limit_s=options.train_s,
    )  # fmt: skip
    adapter = job.trained(rows, plan, options.held_out, start)
    adapter.save(options.out / "reader.gguf")
    made = [
        {"id": f"made:{at}", "q": r["question"], "excerpt": r["passages"], "whole": r["passages"]}
        for at, r in enumerate(rows[: options.held_out])
    ]
    write_lines(options.out / "tests.jsonl.gz", job.tested([*tests, *made], 8))
    write_lines(options.out / "held.jsonl.gz", rows[: options.held_out])
    job.note("done")


if __name__ == "__main__":
    main()
