"""An adapter by trial: `python -m training.policy MODEL.gguf DATA OUT --limit-s 700`.

Rounds of: eight replies to each of some requests by the model as it is now, judged by running
them, then a few steps that make the better ones of a request likelier and the worse ones less
so (`training/rewards.py`). After each round the adapter is saved as OUT/adapter-NN.gguf. The
replies are always its own, so it moves no further from the model than what pays. Solutions run
in plain processes: for a machine that is thrown away.
"""

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from training.filter import summary
from training.lines import read_lines, write_lines
from training.qwen import LowRank, Qwen
from training.rewards import judged_from_json, lessons, worths
from training.sample import load_model, sample_file
from training.sampler import BatchSampler
from training.solutions import Judged
from training.train import Learner, Pack, examples_of, packs_of

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Course:
    """How the rounds go."""

    rank: int = 8
    alpha: float = 16.0
    targets: str = "q,k,v,o,up,down"
    rate: float = 2e-4
    prompts: int = 960
    side: int = 160  # requests for arguments and asserts, in every third round
    asked: int = 320  # characters of a request: slots are as long as the longest
    longest: int = 240  # tokens of a reply: one in a hundred right ones is longer
    steps: int = 12
    packs: int = 2
    length: int = 4096
    slots: int = 2048
    processes: int = 16
    seed: int = 7
    rounds: int = 99
    limit_s: float = 600.0

    def rate_at(self, step: int, passed: float) -> float:
        """Up in the first steps, down in the last two fifths of the time."""
        return self.rate * min(1.0, (step + 1) / 8, max(0.1, (1 - passed) / 0.4))


def rounds_of(main: Rows, side: Rows, course: Course) -> Iterator[Rows]:
    """The requests of each round: all in a new order, then all again."""
    queues = [_endless(main, course.seed), _endless(side, course.seed + 1)]
    number = 0
    while True:
        number += 1
        aside = course.side if side and number % 3 == 0 else 0
        taken = [next(queues[0]) for _ in range(course.prompts - aside)]
        taken += [next(queues[1]) for _ in range(aside)]
        # A request may come twice where there are few: it is one row of a round.
        rows = list({row["id"]: row for row in taken}.values())
        yield [{**row, "max_tokens": min(row["max_tokens"], course.longest)} for row in rows]


def _endless(rows: Rows, seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed)
    while True:
        order = list(rows)
        chance.shuffle(order)
        yield from order


class Trainer:
    """A model that is sampled, judged and moved, round after round."""

    def __init__(self, model: Qwen, tokenizer: Any, out: Path, course: Course) -> None:
        self._model, self._tokenizer, self._out, self._course = model, tokenizer, out, course
        self._learner: Learner | None = None
        self._step = 0
        self._chance = random.Random(course.seed)

    def begin(self, start: Path | None) -> None:
        """From nothing, or from an adapter that is there."""
        course, model = self._course, self._model
        if start is not None:
            adapter = LowRank.load(start).to(str(model.device), torch.float32)
        else:
            adapter = model.new_adapter(
                course.rank, course.alpha, course.targets.split(","), course.seed
            )
        self._learner = Learner(adapter)

    def round(self, number: int, rows: Rows, passed: float) -> None:
        assert self._learner is not None
        began = time.monotonic()
        samples = self._sampled(number, rows)
        sampled = time.monotonic()
        judged = self._judged(number)
        known = time.monotonic()
        taught = self._taught(rows, samples, judged)
        self._learn(taught, passed)
        self._learner.adapter.save(self._out / f"adapter-{number:02d}.gguf")
        self._tell(number, list(judged.values()), len(taught))
        ended = time.monotonic()
        print(f"  sampled {sampled - began:.0f} s, judged {known - sampled:.0f} s, "
              f"trained {ended - known:.0f} s", flush=True)  # fmt: skip

    def _sampled(self, number: int, rows: Rows) -> dict[str, list[str]]:
        assert self._learner is not None
        model, course = self._model, self._course
        write_lines(self._out / f"rows-{number:02d}.jsonl", rows)
        model.adapter = self._learner.adapter.to(str(model.device), model.dtype)
        sampler = BatchSampler(model, self._tokenizer, slots=course.slots)
        path = self._out / f"samples-{number:02d}.jsonl"
        path.unlink(missing_ok=True)
        sample_file(sampler, rows, path, 120.0)
        model.adapter = self._learner.adapter
        if model.device.type == "cuda":
            torch.cuda.empty_cache()
        return {row["id"]: row["samples"] for row in read_lines(path)}

    def _judged(self, number: int) -> dict[str, list[Judged]]:
        """In a process without torch, whose children may not grow beyond their limits."""
        names = (f"{part}-{number:02d}.jsonl" for part in ("rows", "samples", "judged"))
        files = [self._out / name for name in names]
        asked = [sys.executable, "-m", "training.filter", *map(str, files), "--judge"]
        asked += ["--disposable", "--processes", str(self._course.processes)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        (self._out / f"judged-{number:02d}.txt").write_text(done.stdout + done.stderr)
        return {row["id"]: judged_from_json(row) for row in read_lines(files[2])}

    def _taught(
        self, rows: Rows, samples: dict[str, list[str]], judged: dict[str, list[Judged]]
    ) -> list[list[Pack]]:
        """What is learned in this round, in batches."""
        taught = [
            {"messages": row["messages"], "reply": one.text.strip(), "weight": one.weight}
            for row in rows
            if row["id"] in judged
            for one in lessons(samples[row["id"]], judged[row["id"]])
        ]
        examples = examples_of(taught, self._tokenizer)
        packs = packs_of(examples, self._course.length, self._chance)
        size = self._course.packs
        return [packs[at : at + size] for at in range(0, len(packs), size)]

    def _learn(self, batches: Sequence[Sequence[Pack]], passed: float) -> None:
        assert self._learner is not None
        each = max(1, -(-len(batches) // self._course.steps))
        for at in range(0, len(batches), each):
            rate = self._course.rate_at(self._step, passed)
            self._learner.step(self._model, batches[at : at + each], rate)
            self._step += 1

    def _tell(self, number: int, judged: Sequence[Sequence[Judged]], batches: int) -> None:
        solved = [row for row in judged if row[0].score is None]
        worth = [one for row in judged for one in worths(row)]
        mean = sum(worth) / max(1, len(worth))
        print(f"round {number}: worth {mean:.4f}, {batches} batches, step {self._step}; "
              f"{summary(solved)}", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path, help="a folder with train.jsonl.gz and side.jsonl.gz")
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, help="an adapter to go on from")
    course = Course()
    for name in Course.__slots__:
        value = getattr(course, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = vars(parser.parse_args())
    path, data, out = options.pop("model"), options.pop("data"), options.pop("out")
    start, course = options.pop("start"), Course(**options)
    began = time.monotonic()
    torch.manual_seed(course.seed)
    out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = Trainer(*load_model(path, device), out, course)
    trainer.begin(start)
    main_rows, side = (read_lines(data / f"{name}.jsonl.gz") for name in ("train", "side"))
    main_rows = [row for row in main_rows if len(row["q"]) <= course.asked]
    print(f"{len(main_rows)} + {len(side)} requests; {course}", flush=True)
    for number, rows in enumerate(rounds_of(main_rows, side, course), 1):
        passed = time.monotonic() - began
        # The next round takes about as long as the ones before.
        if number > course.rounds or passed * number / max(1, number - 1) > course.limit_s:
            break
        trainer.round(number, rows, passed / course.limit_s)
    (out / "done").touch()
    print(f"done after {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
