"""One evaluation on a bank from file to report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.bank.baselines import LOGISTIC, Verdicts, baselines, logistic
from hammerstone.evaluation.bank.evaluate import (
    ScoredTask,
    Setup,
    evaluate,
    examine_task,
    side_by_side,
)
from hammerstone.evaluation.bank.recorded import RememberingSandbox
from hammerstone.evaluation.bank.refit import Observation, calibrate, observe
from hammerstone.evaluation.bank.report import plot, rule_scores, summary
from hammerstone.evaluation.bank.tasks import BankTask, read_bank
from hammerstone.evaluation.bank.variants import ablation_table, harder_table, variants
from hammerstone.synthesis.examine.belief.confidence import shipped
from hammerstone.synthesis.examine.examination import ALL
from hammerstone.synthesis.examine.verdict import DEFAULT


@dataclass(frozen=True, slots=True)
class BankOptions:
    banks: Sequence[Path]
    questions: int = 0
    limit: int = 0
    examples: bool = True
    baselines: bool = True
    ablation: bool = False
    harder: bool = True  # also examine each task with less to go by
    refit: Path | None = None
    folder: Path = Path("reports/synthesis")
    model: str = ""  # whose candidates and suites the banks hold; for a refit


@dataclass(frozen=True, slots=True)
class BankReport:
    numbers: dict[str, Any]
    scored: list[ScoredTask]
    folder: Path


async def run_bank(
    options: BankOptions, sandbox: Sandbox, show: Callable[[str], None]
) -> BankReport:
    """Examine, score, compare, and write the report's files."""
    banks = {bank_name(path): _tasks(path, options.limit) for path in options.banks}
    if options.refit:
        await _refit(banks, sandbox, options, show)
    setup = Setup(options.questions, DEFAULT, ALL if options.examples else replace(ALL, examples=0))
    parts = {
        name: await _run_one(tasks, sandbox, setup, options, show) for name, tasks in banks.items()
    }
    by_bank = {name: part.numbers for name, part in parts.items()}
    whole = _joined(list(parts.values()))
    numbers = _numbers(whole, options)
    numbers["by_bank"] = by_bank
    numbers |= {"bank": ", ".join(map(str, options.banks)), "questions": options.questions}
    numbers |= {"examples": options.examples, "backend": sandbox.backend}
    numbers["calibration"] = shipped().source
    _write(options, whole.scored, numbers)
    return BankReport(numbers, whole.scored, options.folder)


def bank_name(path: Path) -> str:
    """The name of a bank in a report: its file's, without endings."""
    return path.name.split(".")[0]


def _tasks(path: Path, limit: int) -> list[BankTask]:
    tasks = read_bank(path)
    tasks = tasks[:limit] if limit else tasks
    if not tasks:
        raise BadRequest(f"{path} holds no tasks")
    return tasks


@dataclass(frozen=True, slots=True)
class BankPart:
    """What came of the tasks of one bank, or of several put together."""

    scored: list[ScoredTask]
    simple: list[Verdicts]
    varied: dict[str, list[ScoredTask]]
    numbers: dict[str, Any]


async def _run_one(
    tasks: list[BankTask],
    sandbox: Sandbox,
    setup: Setup,
    options: BankOptions,
    show: Callable[[str], None],
) -> BankPart:
    others = variants(setup, harder=options.harder, ablation=options.ablation)
    simple: dict[str, Verdicts] = {}
    varied: dict[str, list[ScoredTask]] = {name: [] for name in others}

    async def compare(task: BankTask, known: RememberingSandbox, one: ScoredTask) -> None:
        show(f"{task.id}: {one.standing} {one.confidence:.2f} {'right' if one.right else 'wrong'}")
        if options.baselines:
            simple[task.id] = await baselines(task, known)
        for name, changed in others.items():
            varied[name].append(await examine_task(task, known, changed))

    scored = await evaluate(tasks, sandbox, setup, compare)
    part = BankPart(scored, [simple[task.id] for task in tasks if task.id in simple], varied, {})
    return replace(part, numbers=_numbers(part, options))


def _joined(parts: list[BankPart]) -> BankPart:
    return BankPart(
        [one for part in parts for one in part.scored],
        [one for part in parts for one in part.simple],
        {name: [s for part in parts for s in part.varied[name]] for name in parts[0].varied},
        {},
    )


def _numbers(part: BankPart, options: BankOptions) -> dict[str, Any]:
    numbers: dict[str, Any] = dict(summary(part.scored))
    numbers["baselines"] = _baselines(part.simple) if options.baselines else {}
    if options.harder:
        numbers["harder"] = harder_table(part.scored, part.varied)
    if options.ablation:
        numbers["ablation"] = ablation_table(part.scored, part.varied)
    return numbers


def _baselines(simple: list[Verdicts]) -> dict[str, Any]:
    names = list(simple[0].rules)
    said: dict[str, list[bool | None]] = {n: [v.rules[n] for v in simple] for n in names}
    said[LOGISTIC] = logistic(simple)
    return dict(rule_scores(said))


async def _refit(
    banks: dict[str, list[BankTask]],
    sandbox: Sandbox,
    options: BankOptions,
    show: Callable[[str], None],
) -> None:
    """Fit a calibration on the way the shipped one would go, and write it to a file."""

    async def one(task: BankTask) -> list[Observation]:
        seen = await observe(task, sandbox, shipped())
        show(f"{task.id}: {len(seen)} observations")
        return seen

    observed: dict[str, list[Observation]] = {}
    for name, tasks in banks.items():
        parts = await side_by_side(tasks, one)
        observed[name] = [observation for part in parts for observation in part]
    count = sum(map(len, observed.values()))
    source = f"{' and '.join(banks)}, {sum(map(len, banks.values()))} tasks, {count} observations"
    assert options.refit is not None
    text = json.dumps(calibrate(observed, source, options.model), indent=1)
    options.refit.write_text(text + "\n", "utf-8")


def _write(options: BankOptions, scored: list[ScoredTask], numbers: dict[str, Any]) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one.to_json()) for one in scored]
    (options.folder / "verdicts.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (options.folder / "numbers.json").write_text(json.dumps(numbers, indent=1) + "\n", "utf-8")
    names = " and ".join(map(bank_name, options.banks))
    title = f"{names}, at most {options.questions} questions"
    plot(scored, options.folder / "reliability.png", title)
