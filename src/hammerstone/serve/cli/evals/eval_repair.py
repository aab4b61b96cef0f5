"""`hammerstone eval repair`: programs with a bug, repaired and judged by what nobody was shown."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject
    from hammerstone.core.seams import Sandbox
    from hammerstone.core.settings import Settings
    from hammerstone.evaluation.repair.bugs import KeptBug
    from hammerstone.evaluation.repair.fix_sources import FixSource
    from hammerstone.evaluation.repair.repair_scores import RepairScore
    from hammerstone.models.opening import Models


@dataclass(frozen=True, slots=True)
class _RepairOptions:
    """What the command was called with."""

    data: Path
    samples: Path | None
    limit: int
    skip: int
    resume: Path | None
    model: bool
    quiet: bool


def register(evals: typer.Typer) -> None:
    """Add the command to the group `eval`."""
    evals.command("repair")(repair)


def repair(
    data: Annotated[
        Path, typer.Option("--data", help="Bugs (.jsonl, .jsonl.gz), or broken tools with tests.")
    ],
    samples: Annotated[
        Path | None,
        typer.Option("--samples", help="Recorded fixes for these bugs instead of a model."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="First N bugs only; 0: all.")] = 0,
    skip: Annotated[int, typer.Option("--skip", min=0, help="Leave out the first N.")] = 0,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Keep results here and go on from them.")
    ] = None,
    model: Annotated[
        bool,
        typer.Option(
            "--model/--no-model", help="Without: small edits only, no baseline, none accepted."
        ),
    ] = True,
    refit: Annotated[
        Path | None,
        typer.Option("--refit", help="Fit the calibration on the bugs meant for it; write it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Repair programs with a known bug and judge each fix by what nobody was shown.

    The repairer sees the program, its description and the failing calls with what is right.
    Beside it, one plain prompt to the same model, which is told the same.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    asked = _RepairOptions(data, samples, limit, skip, resume, model, as_json)
    if model and samples is None:
        ensure_files(load_settings())
    name, scores = asyncio.run(_run(asked))
    numbers = _numbers(name, scores)
    if refit is not None:
        numbers["refit"] = _refit(scores, refit)
    if as_json:
        print_json(numbers)
    else:
        _print(numbers)


async def _run(asked: _RepairOptions) -> "tuple[str, list[RepairScore]]":
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.repair.repair_scores import RepairEvaluation
    from hammerstone.learn.policies import RepairPolicy
    from hammerstone.sandbox import open_sandbox

    settings = load_settings()
    out = console(stderr=True)
    sandbox = await open_sandbox(settings)
    source, models = _source(asked, settings)

    def show(text: str) -> None:
        if not asked.quiet or out.is_terminal:
            out.print(text, markup=False, highlight=False)

    try:
        bugs = await _bugs(asked, sandbox)
        evaluation = RepairEvaluation(source, sandbox, RepairPolicy(), show, asked.resume)
        return source.name, await evaluation.run(bugs)
    finally:
        if models is not None:
            await models.close()
        await sandbox.close()


def _source(asked: _RepairOptions, settings: "Settings") -> "tuple[FixSource, Models | None]":
    """Who writes the fixes, and the models to close afterwards."""
    from hammerstone.core.chat import Role
    from hammerstone.evaluation.repair.fix_sources import LiveFixes, NoFixes, RecordedFixes
    from hammerstone.evaluation.repair.recorded_fixes import read_recording
    from hammerstone.models.opening import open_models

    if not asked.model:
        return NoFixes(), None
    if asked.samples is not None:
        return RecordedFixes(read_recording(asked.samples)), None
    models = open_models(settings)
    return LiveFixes(models.for_role(Role.CODER)), models


async def _bugs(asked: _RepairOptions, sandbox: "Sandbox") -> "list[KeptBug]":
    from hammerstone.evaluation.repair.broken_tools import bug_of, read_broken
    from hammerstone.evaluation.repair.bugs import KeptBug, is_bug_file, read_bugs

    chosen = slice(asked.skip, asked.skip + asked.limit if asked.limit else None)
    if is_bug_file(asked.data):
        return read_bugs(asked.data)[chosen]
    return [KeptBug(await bug_of(task, sandbox)) for task in read_broken(asked.data)[chosen]]


def _numbers(name: str, scores: "list[RepairScore]") -> "JsonObject":
    from hammerstone.evaluation.repair.repair_table import kinds_of, numbers_of
    from hammerstone.learn.policies import RepairPolicy

    mark = RepairPolicy().promote
    kinds: list[Any] = kinds_of(scores, mark)
    return {"model": name, "mark": mark, **numbers_of(scores, mark), "kinds": kinds}


def _refit(scores: "list[RepairScore]", path: Path) -> "JsonObject":
    import json

    from hammerstone.evaluation.repair.repair_table import refitted

    calibration, marks = refitted(scores)
    path.write_text(json.dumps(calibration.to_json(), indent=1) + "\n", "utf-8")
    return {**marks, "calibration": calibration.to_json()}


def _print(numbers: "JsonObject") -> None:
    from rich.table import Table

    out = console()
    table = Table(title=f"{numbers['model']}, accepted from {numbers['mark']:.2f} on")
    table.add_column("kind of bug")
    for name in ("n", "plain", "fixed", "ratio", "wrongly accepted", "regressions", "refused"):
        table.add_column(name, justify="right")
    kinds: Any = numbers["kinds"]
    for row in kinds:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        wrong = f"{row['wrongly_accepted']} ({row['wrongly_accepted_share']:.1%})"
        cells = (row["n"], row["plain"], row["fixed"], ratio, wrong, row["regressions"])
        table.add_row(row["kind"], *map(str, cells), str(row["refused"]))
    out.print(table)
    out.print(
        f"likeliest fix right, accepted or not: {numbers['chosen_right']} of {numbers['n']}; "
        f"on average {numbers['mean_candidates']:.0f} programs tried, "
        f"{numbers['mean_samples']:.1f} samples, {numbers['mean_tokens']:.0f} tokens, "
        f"{numbers['mean_seconds']:.1f} s",
        highlight=False,
    )
    if "refit" in numbers:
        out.print(numbers["refit"], highlight=False)
