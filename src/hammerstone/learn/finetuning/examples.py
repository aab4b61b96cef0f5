"""Runs as examples to train on: chosen, without copies and secrets, as chats, in two parts."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.policies import FineTuningPolicy
from hammerstone.tracing.scrub import Scrubber

TRAIN, HELD_OUT = "train.jsonl", "held_out.jsonl"
_SCRUB = Scrubber()
_LOOSE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """What one side said in an exchange that is over: `system`, `user` or `assistant`."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """One exchange with a model in a run that was scored: what was asked, and what it replied.

    `model` is the name that the trace has: the base model's, with `+adapter` where one was on.
    """

    run_id: str
    model: str
    score: float
    messages: tuple[ChatTurn, ...]
    reply: str

    @property
    def asked(self) -> str:
        return self.messages[-1].text if self.messages else ""


@dataclass(frozen=True, slots=True)
class ExampleExport:
    """What was written, and what was left out and why."""

    folder: Path
    train: int
    held_out: int
    left_out: Counter[str] = field(default_factory=Counter[str])

    @property
    def examples(self) -> int:
        return self.train + self.held_out

    def to_json(self) -> JsonObject:
        left: dict[str, Json] = dict(self.left_out)
        return {"train": self.train, "held_out": self.held_out, "left_out": left}


def export_examples(
    runs: Iterable[TrainingRun],
    folder: Path,
    base: str,
    policy: FineTuningPolicy,
    suites: Collection[str] = (),
) -> ExampleExport:
    """Write `train.jsonl` and `held_out.jsonl`, a line `{"messages": [...]}` each.

    Left out: runs below the least score; what another model than the base model wrote, since its
    words are not ours to train on; what the scrubber would change, whole; what the requests of
    `suites` ask, since whoever was trained on a test passes it; and every exchange but the best
    with the same request. A request is always in the same part.
    """
    left: Counter[str] = Counter()
    best: dict[str, TrainingRun] = {}
    tested = [loose for each in suites if (loose := _loose(each))]
    for run in runs:
        key = _loose(run.asked)
        tests = any(f" {each} " in f" {key} " for each in tested)
        reason = _unfit(run, base, policy) or ("asked by a suite" if tests else "")
        if reason:
            left[reason] += 1
            continue
        if key in best:
            left["the same request again"] += 1
        if key not in best or run.score > best[key].score:
            best[key] = run
    parts: dict[str, list[str]] = {TRAIN: [], HELD_OUT: []}
    for key, run in best.items():
        apart = int(digest(key)[:8], 16) / 16**8 < policy.held_out_share
        parts[HELD_OUT if apart else TRAIN].append(_line(run))
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in parts.items():
        (folder / name).write_text("".join(lines), "utf-8")
    return ExampleExport(folder, len(parts[TRAIN]), len(parts[HELD_OUT]), left)


def _loose(request: str) -> str:
    """A request whatever its case and punctuation."""
    return _LOOSE.sub(" ", request.lower()).strip()


def _unfit(run: TrainingRun, base: str, policy: FineTuningPolicy) -> str:
    if run.model.split("+")[0] != base:
        return "another model"
    if run.score < policy.least_score:
        return "low score"
    if not run.asked.strip() or not run.reply.strip():
        return "empty"
    texts = [*(one.text for one in run.messages), run.reply]
    return "secrets or personal data" if any(_holds_secret(text) for text in texts) else ""


def _holds_secret(text: str) -> bool:
    return _SCRUB.text(text) != text


def _line(run: TrainingRun) -> str:
    said: Sequence[ChatTurn] = (*run.messages, ChatTurn("assistant", run.reply))
    messages = [{"role": one.author, "content": one.text} for one in said]
    return json.dumps({"messages": messages}, ensure_ascii=False) + "\n"
