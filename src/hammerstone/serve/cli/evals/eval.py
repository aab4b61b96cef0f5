"""`hammerstone eval`: measurements on files that others wrote."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.evals import (
    eval_answers,
    eval_arguments,
    eval_calibration,
    eval_documents,
    eval_families,
    eval_repair,
    eval_retrieval,
)
from hammerstone.serve.cli.evals.board import scoreboard

if TYPE_CHECKING:
    from rich.table import Table

    from hammerstone.evaluation.bank.run import BankOptions, BankReport

app = typer.Typer(
    help="How good it is: everything at once, or one measurement.", invoke_without_command=True
)
app.callback()(scoreboard.scoreboard)


@app.command("synthesis")
def synthesis(
    bank: Annotated[
        list[Path] | None,
        typer.Option(
            "--bank", help="Recorded candidates and suites (.json or .json.gz); several times."
        ),
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option("--tasks", help="Tasks with hidden tests (.jsonl or .jsonl.gz), live."),
    ] = None,
    questions: Annotated[
        int, typer.Option("--questions", min=0, help="Questions a simulated person answers.")
    ] = 0,
    limit: Annotated[int, typer.Option("--limit", min=0, help="First N tasks only; 0: all.")] = 0,
    skip: Annotated[int, typer.Option("--skip", min=0, help="With --tasks: leave out N.")] = 0,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="With --tasks: keep results here, and go on from them."),
    ] = None,
    examples: Annotated[
        bool, typer.Option(help="Take the examples inside a spec as the person's word.")
    ] = True,
    baselines: Annotated[bool, typer.Option(help="Also score the simpler rules.")] = True,
    harder: Annotated[
        bool, typer.Option(help="Also examine each task with fewer examples in its spec.")
    ] = False,
    ablation: Annotated[
        bool, typer.Option(help="Also switch off each ingredient in turn.")
    ] = False,
    refit: Annotated[
        Path | None, typer.Option("--refit", help="Fit a calibration on the banks and write it.")
    ] = None,
    report: Annotated[
        Path, typer.Option("--report", help="Folder for the plot and the verdict of each task.")
    ] = Path("reports/synthesis"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Cross-examine a bank in the real sandbox and score the verdicts.

    A task that the shipped calibration was fitted on is judged by a fold that left it out.
    With --tasks the configured model writes candidates and tests itself, and one plain prompt
    to the same model is scored beside it.
    """
    from hammerstone.core.errors import BadRequest
    from hammerstone.evaluation.bank.run import BankOptions
    from hammerstone.models.pull.model_files import EMBEDDED_MODEL
    from hammerstone.serve.cli.evals.eval_tasks import evaluate_tasks
    from hammerstone.serve.cli.output import print_json

    if bool(bank) == (tasks is not None):
        raise BadRequest("give either --bank FILE or --tasks FILE")
    if tasks is not None:
        evaluate_tasks(tasks, limit=limit, skip=skip, as_json=as_json, resume=resume)
        return
    assert bank is not None

    options = BankOptions(
        banks=bank,
        model=Path(EMBEDDED_MODEL.name).stem,
        questions=questions,
        limit=limit,
        examples=examples,
        baselines=baselines,
        ablation=ablation,
        harder=harder,
        refit=refit,
        folder=report,
    )
    result = asyncio.run(_run(options, quiet=as_json))
    if as_json:
        print_json(result.numbers)
    else:
        _print(result)


async def _run(options: "BankOptions", *, quiet: bool) -> "BankReport":
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.bank.run import run_bank
    from hammerstone.sandbox import open_sandbox
    from hammerstone.serve.cli.output import console

    out = console(stderr=True)
    sandbox = await open_sandbox(load_settings())

    def show(text: str) -> None:
        if not quiet or out.is_terminal:
            out.print(text, markup=False)

    try:
        return await run_bank(options, sandbox, show)
    finally:
        await sandbox.close()


def _print(result: "BankReport") -> None:
    from rich.table import Table

    from hammerstone.serve.cli.output import console

    out = console()
    numbers = result.numbers
    several = numbers["by_bank"] if len(numbers["by_bank"]) > 1 else {}
    for name, part in {**several, "": numbers}.items():
        out.print(_table(part, name))
    strengthened = (numbers.get("ablation") or {}).get("without strengthening")
    if strengthened:
        out.print(
            f"mutants noticed by the frozen suites: {_percent(strengthened['mutation_score'])}, "
            f"without strengthening {_percent(strengthened['mutation_score_without'])}"
        )
    out.print(
        f"{numbers['tasks']} tasks, {numbers['verified']} verified, "
        f"{numbers['verified_correct']} of them right; calibration error {numbers['ece']:.3f}\n"
        f"on average {numbers['mean_candidates']:.1f} candidates, {numbers['mean_suites']:.1f} "
        f"suites, {numbers['seconds_per_task']:.1f} s a task; "
        f"{numbers['questions_asked']} questions asked"
    )
    bins = Table("confidence", "tasks", "mean confidence", "right")
    for row in numbers["reliability"]:
        span = f"{row['low']:.1f} to {row['low'] + 0.1:.1f}"
        bins.add_row(span, str(row["count"]), _percent(row["confidence"]), _percent(row["right"]))
    out.print(bins)
    out.print(f"plot and verdicts: {result.folder}")


def _table(numbers: dict[str, Any], bank: str) -> "Table":
    """Shares verified and right, of a bank or of all of them, variant by variant."""
    from rich.table import Table

    table = Table(
        "verified means", "share verified", "of these right", "calibration error", "candidates",
        title=bank or None,
    )  # fmt: skip
    rows = {"cross-examination": numbers}
    for part in ("", "baselines", "harder", "ablation"):
        for name, row in (numbers.get(part) or {} if part else rows).items():
            error, drawn = row.get("ece"), row.get("mean_candidates")
            table.add_row(
                name,
                _percent(row["coverage"]),
                _percent(row["precision"]),
                "" if error is None else f"{error:.3f}",
                "" if drawn is None else f"{drawn:.1f}",
            )
        table.add_section()
    return table


def _percent(value: Any) -> str:
    return "-" if value is None else f"{value:.1%}"


for measurement in (
    eval_retrieval,
    eval_answers,
    eval_arguments,
    eval_calibration,
    eval_documents,
    eval_families,
    eval_repair,
):
    measurement.register(app)
