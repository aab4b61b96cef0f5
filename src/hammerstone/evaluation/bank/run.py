"""One evaluation on a bank from file to report."""

import json
from collections.abc import Callable
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
from hammerstone.synthesis.examine.confidence import shipped
from hammerstone.synthesis.examine.examination import ALL
from hammerstone.synthesis.examine.policy import DEFAULT


@dataclass(frozen=True, slots=True)
class BankOptions:
    bank: Path
    questions: int = 0
    limit: int = 0
    examples: bool = True
    baselines: bool = True
    ablation: bool = False
    harder: bool = True  # also examine each task with less to go by
    refit: Path | None = None
    folder: Path = Path("reports/synthesis")


@dataclass(frozen=True, slots=True)
class BankReport:
    numbers: dict[str, Any]
    scored: list[ScoredTask]
    folder: Path


async def run_bank(
    options: BankOptions, sandbox: Sandbox, show: Callable[[str], None]
) -> BankReport:
    """Examine, score, compare, and write the report's files."""
    tasks = read_bank(options.bank)
    tasks = tasks[: options.limit] if options.limit else tasks
    if not tasks:
        raise BadRequest(f"{options.bank} holds no tasks")
    if options.refit:
        await _refit(tasks, sandbox, options, show)
    ingredients = ALL if options.examples else replace(ALL, examples=0)
    setup = Setup(options.questions, DEFAULT, ingredients)
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
    numbers: dict[str, Any] = dict(summary(scored))
    numbers["baselines"] = (
        _baselines([simple[task.id] for task in tasks]) if options.baselines else {}
    )
    if options.harder:
        numbers["harder"] = harder_table(scored, varied)
    if options.ablation:
        numbers["ablation"] = ablation_table(scored, varied)
    numbers |= {"bank": str(options.bank), "questions": options.questions}
    numbers |= {"examples": options.examples, "backend": sandbox.backend}
    numbers["calibration"] = shipped().source
    _write(options, scored, numbers)
    return BankReport(numbers, scored, options.folder)


def _baselines(simple: list[Verdicts]) -> dict[str, Any]:
    names = list(simple[0].rules)
    said: dict[str, list[bool | None]] = {n: [v.rules[n] for v in simple] for n in names}
    said[LOGISTIC] = logistic(simple)
    return dict(rule_scores(said))


async def _refit(
    tasks: list[BankTask], sandbox: Sandbox, options: BankOptions, show: Callable[[str], None]
) -> None:
    """Fit a calibration on the way the shipped one would go, and write it to a file."""

    async def one(task: BankTask) -> list[Observation]:
        seen = await observe(task, sandbox, shipped())
        show(f"{task.id}: {len(seen)} observations")
        return seen

    parts = await side_by_side(tasks, one)
    observations = [observation for part in parts for observation in part]
    source = f"{options.bank.name}, {len(tasks)} tasks, {len(observations)} observations"
    assert options.refit is not None
    text = json.dumps(calibrate(observations, source), indent=1)
    options.refit.write_text(text + "\n", "utf-8")


def _write(options: BankOptions, scored: list[ScoredTask], numbers: dict[str, Any]) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one.to_json()) for one in scored]
    (options.folder / "verdicts.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (options.folder / "numbers.json").write_text(json.dumps(numbers, indent=1) + "\n", "utf-8")
    title = f"{options.bank.name}, at most {options.questions} questions"
    plot(scored, options.folder / "reliability.png", title)
