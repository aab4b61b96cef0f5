"""`hammerstone eval repair`: broken tools, repaired and judged by their hidden tests."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject
    from hammerstone.core.seams import Model


def register(evals: typer.Typer) -> None:
    """Add the command to the group `eval`."""
    evals.command("repair")(repair)


def repair(
    data: Annotated[Path, typer.Option("--data", help="Broken tools with tests (.jsonl).")],
    limit: Annotated[int, typer.Option("--limit", min=0, help="First N tasks only; 0: all.")] = 0,
    skip: Annotated[int, typer.Option("--skip", min=0, help="Leave out the first N.")] = 0,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Keep results here and go on from them.")
    ] = None,
    model: Annotated[
        bool,
        typer.Option(
            "--model/--no-model", help="Without: small edits only, no baseline, nothing promoted."
        ),
    ] = True,
    cassette: Annotated[
        Path | None, typer.Option("--record", help="Keep the model's replies in this file.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", help="Take the replies from such a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Repair programs with a known bug and judge each fix by tests nobody was shown.

    The repairer sees the program, its docstring if it has one, and the first failing call
    with its expected value. Beside it, one plain prompt to the same model.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.system.pulling import ensure_files

    if model and replay is None:
        ensure_files(load_settings())
    numbers = asyncio.run(_run(data, limit, skip, resume, (model, cassette, replay), as_json))
    if as_json:
        print_json(numbers)
    else:
        _print(numbers)


async def _run(
    data: Path,
    limit: int,
    skip: int,
    resume: Path | None,
    asked: tuple[bool, Path | None, Path | None],
    quiet: bool,
) -> "JsonObject":
    from hammerstone.core.chat import Role
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.repair.repair_scores import RepairEvaluation
    from hammerstone.learn.repair.broken_tools import read_broken
    from hammerstone.learn.repair.repair_policy import RepairPolicy
    from hammerstone.models.fakes import RecordedModel
    from hammerstone.models.opening import open_models
    from hammerstone.sandbox import open_sandbox

    wanted, cassette, replay = asked
    tasks = read_broken(data, limit, skip)
    settings = load_settings()
    out = console(stderr=True)
    sandbox = await open_sandbox(settings)
    models = open_models(settings) if wanted and replay is None else None
    model: Model | None = models.for_role(Role.CODER) if models else None
    if replay is not None:
        model = RecordedModel.replay(replay)
    elif model is not None and cassette is not None:
        model = RecordedModel.record(model, cassette)

    def show(text: str) -> None:
        if not quiet or out.is_terminal:
            out.print(text, markup=False, highlight=False)

    try:
        return await RepairEvaluation(model, sandbox, RepairPolicy(), show, resume).run(tasks)
    finally:
        if models is not None:
            await models.close()
        await sandbox.close()


def _print(numbers: "JsonObject") -> None:
    console().print(
        f"{numbers['n']} broken tools with {numbers['model']}: {numbers['fixed']} fixed "
        f"({numbers['fixed_share']:.1%}), one plain prompt {numbers['baseline_fixed']} "
        f"({numbers['baseline_share']:.1%})\n"
        f"wrongly accepted {numbers['wrongly_accepted']} "
        f"({numbers['wrongly_accepted_share']:.1%}), regressions {numbers['regressions']}; "
        f"best guess right, promoted or not: {numbers['chosen_right']}\n"
        f"on average {numbers['mean_candidates']:.0f} programs tried, "
        f"{numbers['mean_samples']:.1f} samples, {numbers['mean_tokens']:.0f} tokens, "
        f"{numbers['mean_seconds']:.1f} s",
        highlight=False,
    )
