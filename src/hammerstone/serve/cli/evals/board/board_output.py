"""What `hammerstone eval` prints and writes of recorded runs: tables, pages, comparisons."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.core.evaluations import EvaluationRun
    from hammerstone.evaluation.board.evaluation import BoardOptions
    from hammerstone.evaluation.board.numbers.compare import BoardComparison
    from hammerstone.evaluation.board.scoreboard import Scoreboard
    from hammerstone.storage import Database


@dataclass(frozen=True, slots=True)
class BoardOutput:
    """Where the page goes, whether something worse is a failure, whether programs read it, and
    the file of numbers that may not get worse."""

    report: Path | None
    fail_on_regression: bool
    as_json: bool
    hold: Path | None = None


async def show_run(db: "Database", run: "EvaluationRun", output: BoardOutput) -> None:
    """The table or the JSON of a run, its page, and what changed since the run before."""
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.page.page import read_page, render_page
    from hammerstone.serve.cli.evals.board.board_table import print_changes, print_scoreboard

    page = await read_page(db, run.id)
    path = output.report or load_settings().data_dir / "evaluation" / f"{run.id}.html"
    _write(path, render_page(page))
    if output.as_json:
        since = page.since.to_json() if page.since else None
        print_json({**page.board.to_json(), "page": str(path), "since": since})
    else:
        print_scoreboard(page.board)
        if page.since:
            print_changes(page.since)
        elif page.not_compared:
            typer.echo(f"Not compared with the last run: {page.not_compared}")
        typer.echo(f"Page: {path}")
    if output.hold is not None:
        _hold(page.board, output.hold)
    _end(page.since, output, page.not_compared)


def _hold(board: "Scoreboard", path: Path) -> None:
    """Compare with the numbers in a file; a file that is not there is written."""
    import json

    from hammerstone.evaluation.board.numbers.held_numbers import below, read_held, steady_numbers

    if not path.exists():
        _write(path, json.dumps(steady_numbers(board), indent=1, sort_keys=True) + "\n")
        typer.echo(f"Numbers to hold: {path}", err=True)
        return
    worse = below(board, read_held(path))
    for line in worse:
        typer.echo(f"worse than in {path}: {line}", err=True)
    if worse:
        typer.echo(f"If that is meant, remove {path} and measure again to write it.", err=True)
        raise typer.Exit(1)
    typer.echo(f"Nothing is worse than in {path}.", err=True)


def _write(path: Path, text: str) -> None:
    from hammerstone.core.errors import DataDirectoryError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise DataDirectoryError(
            f"the page cannot be written to {path}: {error.strerror}",
            hint="everything is recorded: hammerstone eval --show last --report FILE",
        ) from error


def _end(comparison: "BoardComparison | None", output: BoardOutput, refused: str = "") -> None:
    if not output.fail_on_regression:
        return
    if refused:
        typer.echo(f"Whether something got worse cannot be said: {refused}", err=True)
        raise typer.Exit(1)
    if comparison is None:
        typer.echo("There is no earlier run to compare with.", err=True)
    elif comparison.got_worse:
        typer.echo("Something got worse: see above.", err=True)
        raise typer.Exit(1)


async def show_named(db: "Database", name: str, output: BoardOutput) -> None:
    from hammerstone.evaluation.board.finding_runs import find_run

    await show_run(db, await find_run(db, name), output)


async def forget_run(db: "Database", run_id: str) -> None:
    """Take a run away by its whole id; what it measured is measured again when it is needed."""
    run = await db.evaluations.get(run_id)
    await db.evaluations.delete(run.id)
    typer.echo(f"evaluation {run.id} is gone")


async def list_runs(db: "Database", output: BoardOutput) -> None:
    from rich.table import Table

    from hammerstone.evaluation.board.scoreboard import run_json

    runs = await db.evaluations.recent()
    if output.as_json:
        print_json([run_json(run) for run in runs])
        return
    if not runs:
        typer.echo("No evaluation is recorded yet. Begin with: hammerstone eval")
        return
    table = Table("id", "when", "set", "code", "policies", "model", box=None, pad_edge=False)
    for run in runs:
        when = run.started_at.strftime("%Y-%m-%d %H:%M") + ("" if run.finished_at else " (open)")
        versions = run.versions
        code = versions.revision or versions.code
        table.add_row(run.id, when, str(run.chosen), code, versions.policies, versions.model)
    console().print(table)


async def compare_named(
    db: "Database", names: tuple[str, str], options: "BoardOptions", output: BoardOutput
) -> None:
    """Two recorded runs by id, revision, model or policies. The first one is the older."""
    from hammerstone.evaluation.board.finding_runs import find_run
    from hammerstone.evaluation.board.numbers.compare import compare_runs
    from hammerstone.serve.cli.evals.board.board_table import print_comparison

    first, second = [await find_run(db, name) for name in names]
    comparison = await compare_runs(db, first, second, options.chapters)
    if output.as_json:
        print_json(comparison.to_json())
    else:
        print_comparison(comparison)
    _end(comparison, output)


async def ablate(db: "Database", options: "BoardOptions", output: BoardOutput) -> None:
    """Each mechanism off in turn, on the chapter that it matters for."""
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.numbers.ablation import run_ablation
    from hammerstone.serve.cli.evals.board.board_progress import TerminalProgress
    from hammerstone.serve.cli.evals.board.board_table import print_ablation

    progress = TerminalProgress()
    try:
        rows = await run_ablation(db, load_settings(), options, progress)
    finally:
        progress.done()
    if output.as_json:
        print_json([row.to_json() for row in rows])
    else:
        print_ablation(rows)
