"""What is trained on, and what a trainer's product must win.

    python -m evals.fine_tuning [--set instant|quick|full] [--json]

A thousand made runs with planted copies, secrets and a teacher's words are exported. Then two
trainers are run as commands: one returns the package's adapter, one an adapter that is worse. What
their products are worth is not asked of a live model: the adapter's answers to the 410 requests are
recorded (`answers_bank.json.gz`), and so are the bare model's (`dev_bank.json.gz`, prompt D, which
asks for the same form); the worse one's are the bare model's with a third of them made wrong. What
the adapter loses in general is the number of docs/design/adapter.md.
"""

import hashlib
import json
import random
import shlex
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.measured import measured
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.evaluations import MetricValue
from hammerstone.evaluation.answers.answer_rows import AnswerRow, Recording, read_bank, read_rows
from hammerstone.evaluation.answers.answers import plain_vote
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import case, lower
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    ScoreInterval,
    SuiteTrials,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.finetuning.examples import (
    HELD_OUT,
    TRAIN,
    ChatTurn,
    TrainingRun,
    export_examples,
)
from hammerstone.learn.finetuning.tuning_track import (
    FineTuningTrack,
    GeneralSuite,
    TuningWorkbench,
)
from hammerstone.learn.policies import FineTuningPolicy
from hammerstone.learn.promotion.evidence import ScorePair
from hammerstone.models.local.lora import shipped_adapters

ROWS = "requests/dev.jsonl"
BANK, BARE = "evals/data/answers_bank.json.gz", "requests/dev_bank.json.gz"
BASE = "qwen2.5-coder-1.5b-instruct-q4_k_m"
SEED = 27
GOOD, LOW, COPIES, SECRETS, TEACHER = 620, 80, 120, 80, 100
# HumanEval+ and MBPP together, bare and with the adapter on for everything (docs/design/adapter.md)
GENERAL = (0.6467, 0.6295, 351)
_SECRETS = (
    "my key is sk-proj-9fK2xQ7LmZ4vT8bN1cR6wY3pD5hJ0sGa",
    "write to anna.meier@beispiel-firma.de",
    "the card is 4111 1111 1111 1111",
    "password: Tr0ub4dor&3-x9!kL",
    "aws AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
)


@dataclass(frozen=True, slots=True)
class PlantedRun:
    """A run, what was planted in it, and the text by which it would be found in a file."""

    run: TrainingRun
    planted: str
    mark: str


def planted_runs(seed: int = SEED) -> list[PlantedRun]:
    """A thousand runs in a random order."""
    chance = random.Random(seed)
    made: list[PlantedRun] = []
    for number in range(GOOD):
        made.append(_run(number, "good", 0.8 + 0.2 * chance.random()))
    for number in range(LOW):
        made.append(_run(10_000 + number, "low", 0.79 * chance.random()))
    for number in range(COPIES):
        origin = made[number].run
        asked = origin.asked.upper() if number % 2 else f"  {origin.asked} !"
        mark = f"copy-{number}"
        messages = (*origin.messages[:-1], ChatTurn("user", asked))
        run = TrainingRun(mark, BASE, 0.8, messages, f"{origin.reply}# {mark}\n")
        made.append(PlantedRun(run, "copy", mark))
    for number in range(SECRETS):
        one = _run(20_000 + number, "secret", 0.95)
        said = f"{one.run.asked} ({_SECRETS[number % len(_SECRETS)]})"
        messages, reply = (*one.run.messages[:-1], ChatTurn("user", said)), one.run.reply
        if number % 2:
            messages, reply = one.run.messages, f"# {_SECRETS[number % len(_SECRETS)]}\n{reply}"
        run = TrainingRun(one.run.run_id, BASE, 0.95, messages, reply)
        made.append(PlantedRun(run, "secret", one.mark))
    for number in range(TEACHER):
        one = _run(30_000 + number, "teacher", 1.0)
        model = chance.choice(["gpt-5-mini", "claude-sonnet", f"{BASE}-teacher"])
        run = TrainingRun(one.run.run_id, model, 1.0, one.run.messages, one.run.reply)
        made.append(PlantedRun(run, "teacher", one.mark))
    chance.shuffle(made)
    return made


def _run(number: int, planted: str, score: float) -> PlantedRun:
    mark = f"item {number:05d}"
    asked = f"A box has {number + 3} parts, and 7 are taken out. How many stay in {mark}?"
    code = f"# {mark}\ndef left(n, k):\n    return n - k\n\n\nanswer = left({number + 3}, 7)"
    reply = f"```python\n{code}\n```"
    messages = (ChatTurn("system", "You answer by writing Python."), ChatTurn("user", asked))
    model = BASE if number % 2 else f"{BASE}+adapter-be39412b"
    return PlantedRun(TrainingRun(f"run-{number}", model, score, messages, reply), planted, mark)


class RecordedTrials:
    """Old and new on the 410 requests, from recordings."""

    def __init__(self, before: dict[str, float], shipped: str, after: dict[str, float]) -> None:
        self._before, self._shipped, self._after = before, shipped, after

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        raise NotImplementedError("fine-tuning looks at hidden cases only")

    async def test(self, trial: Trial) -> HiddenResult:
        adapter = Path(str(trial.settings["adapter"]))
        known = _sha(adapter) == self._shipped
        after = self._after if known else _worse(self._before)
        pairs = tuple(ScorePair(one, score, after[one]) for one, score in self._before.items())
        return HiddenResult(pairs, (), _interval(self._before), _interval(after))


class KnownLoss:
    """What is known of the general ability: the same for whatever was trained."""

    cases = GENERAL[2]

    async def test(self, trial: Trial) -> HiddenResult:
        before, after, rows = GENERAL
        made = [ScoreInterval(mean, mean - 0.05, mean + 0.05, rows) for mean in (before, after)]
        return HiddenResult((), (), made[0], made[1])


def _worse(before: dict[str, float]) -> dict[str, float]:
    return {case: 0.0 if at % 3 == 0 else score for at, (case, score) in enumerate(before.items())}


def _interval(scores: dict[str, float]) -> ScoreInterval:
    mean = sum(scores.values()) / len(scores)
    return ScoreInterval(mean, mean, mean, len(scores))


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _votes(rows: Sequence[AnswerRow], bank: Sequence[Recording]) -> dict[str, float]:
    """Whether a plain vote of eight is right, by request."""
    known = {one.id: one for one in bank}
    return {row.id: float(row.is_right(plain_vote(known[row.id].values[:8]))) for row in rows}


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The export's leaks, and what became of two trainers' products."""
    with tempfile.TemporaryDirectory(prefix="hammerstone-tuning-") as folder:
        for finding in _exported(Path(folder)):
            yield finding
    rows = read_rows(context.file(ROWS))
    bare = [one for one in read_bank(context.file(BARE)) if one.prompt == "D"]
    before, after = _votes(rows, bare), _votes(rows, read_bank(context.file(BANK)))
    yield MetricValue("right with the package's adapter, recorded", _interval(after).mean,
                      baseline=_interval(before).mean, baseline_name="bare")  # fmt: skip
    shipped = shipped_adapters()[0]
    copy = shlex.join(["cp", str(shipped.path), "made.gguf"])
    spoil = f"open('made.gguf','wb').write(open({str(shipped.path)!r},'rb').read()+bytes(64))"
    worse = shlex.join([sys.executable, "-c", spoil])
    trials = RecordedTrials(before, shipped.sha256, after)
    for name, command, wanted in (("real", copy, True), ("worse", worse, False)):
        async with context.product() as engine:
            result = await _tried(engine, command, trials)
            in_use = await _approved(engine, result)
            kept = len(engine.adapters.list())
        good = in_use if wanted else (not in_use and not kept)
        yield case(f"trainer: {name}", good, given=" ".join(result.account))
        label = "accepted" if wanted else "discarded"
        yield MetricValue(f"the {name} adapter is {label}", float(good), target=1.0)


async def _tried(engine: Hammerstone, command: str, trials: SuiteTrials) -> TrackResult:
    async def runs() -> AsyncIterator[TrainingRun]:
        for one in planted_runs():
            yield one.run

    async def suites() -> list[str]:
        return []

    async def general(task: TrackTask) -> GeneralSuite:
        return KnownLoss()

    bench = TuningWorkbench(
        engine.learning.gate, engine.policies, engine.adapters, runs, suites, BASE,
        Path("base.gguf"), command, general,
    )  # fmt: skip
    task = TrackTask("eval", "requests", (), (), (), trials, TrackPurse(TrackBudget()),
                     approved_by="evaluation")  # fmt: skip
    return await FineTuningTrack(bench).try_change(task)


async def _approved(engine: Hammerstone, result: TrackResult) -> bool:
    """Whether it is in use, after a person's yes where one is waited for."""
    if result.outcome is TrackOutcome.WAITING:
        await engine.learning.gate.approve(result.proposal, who="evaluation")
    return engine.adapters.active not in ("shipped", "off")


def _exported(folder: Path) -> list[Finding]:
    planted = planted_runs()
    export = export_examples((one.run for one in planted), folder, BASE, FineTuningPolicy())
    parts = {name: (folder / name).read_text("utf-8") for name in (TRAIN, HELD_OUT)}
    text = "".join(parts.values())
    found: list[Finding] = [
        MetricValue("runs", float(len(planted)), "runs"),
        MetricValue("examples written", float(export.examples), "examples", baseline=GOOD,
                    baseline_name="good ones planted"),
        MetricValue("of them held out", export.held_out / export.examples),
    ]  # fmt: skip
    for kind in ("copy", "secret", "teacher", "low"):
        marks = [one.mark for one in planted if one.planted == kind]
        leaked = sum(f"{mark}?" in text or f"# {mark}" in text for mark in marks)
        found.append(lower(f"planted and written: {kind}", float(leaked), "runs", target=0.0))
        found.append(case(f"export: {kind}", not leaked, given=json.dumps(export.to_json())))
    asked = {name: _requests(part) for name, part in parts.items()}
    both = asked[TRAIN] & asked[HELD_OUT]
    found.append(lower("requests in both parts", float(len(both)), "requests", target=0.0))
    return found


def _requests(text: str) -> set[str]:
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["messages"][1]["content"].lower() for row in rows}


if __name__ == "__main__":
    measured("fine_tuning")
