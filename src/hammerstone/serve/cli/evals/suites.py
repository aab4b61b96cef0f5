"""`hammerstone suites`: cases of your own, and what they are run against."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import AsJson, console, print_json

if TYPE_CHECKING:
    from hammerstone.evaluation.board.evaluation import BoardOptions
    from hammerstone.evaluation.board.measurement import Measurement
    from hammerstone.evaluation.suites.shelf import SuiteShelf
    from hammerstone.evaluation.suites.suite import Suite

app = typer.Typer(help="Cases of your own, graded and run.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The suite's name.")]


def _shelf() -> "SuiteShelf":
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.suites.shelf import SuiteShelf

    return SuiteShelf(load_settings())


@app.command()
def add(
    folder: Annotated[Path, typer.Argument(help="A folder with suite.toml and cases.jsonl.")],
    replace: Annotated[bool, typer.Option(help="Take the place of one of the same name.")] = False,
) -> None:
    """Check a suite and take it in. A broken case is told with its line."""
    suite, count = _shelf().add(folder, replace=replace)
    typer.echo(f"{suite.name}: {count:,} cases. Run it with: hammerstone suites run {suite.name}")


@app.command("list")
def list_suites(as_json: AsJson = False) -> None:
    """List the suites that were added."""
    suites = _shelf().list()
    if as_json:
        print_json([{"name": one.name, "title": one.title, "about": one.about} for one in suites])
        return
    if not suites:
        typer.echo("No suite yet. Take one in with: hammerstone suites add FOLDER", err=True)
    for one in suites:
        typer.echo(f"{one.name:24} {one.title}")


@app.command()
def show(
    name: Name,
    limit: Annotated[int, typer.Option(min=1, help="Cases to show.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show a suite and its first cases."""
    from itertools import islice

    suite = _shelf().get(name)
    cases = list(islice(suite.cases(), limit))
    rows = [
        {
            "id": case.id,
            "request": case.request or dict(case.arguments or {}),
            "graders": [spec.kind for spec in case.graders],
            "expect": [spec.expect for spec in case.graders],
            "tags": list(case.tags),
        }
        for case in cases
    ]
    if as_json:
        print_json({"name": suite.name, "pass_mark": suite.pass_mark, "cases": rows})
        return
    out = console()
    out.print(f"{suite.title} (passes from {suite.pass_mark:.2f} on)", markup=False)
    for row in rows:
        kinds, expect = ", ".join(row["graders"]), "; ".join(map(str, row["expect"]))
        out.print(f"{row['id']}: {row['request']} -> {expect} ({kinds})", markup=False)


@app.command()
def remove(name: Name) -> None:
    """Take a suite away. What was recorded of it stays."""
    _shelf().remove(name)
    typer.echo(f"{name} is gone")


@app.command()
def run(
    name: Name,
    tool: Annotated[str, typer.Option(help="Run it against this tool of the library.")] = "",
    skill: Annotated[str, typer.Option(help="Run it against this skill.")] = "",
    model: Annotated[str, typer.Option(help="Run it against this model alone.")] = "",
    repeat: Annotated[int, typer.Option(min=1, help="Do each case N times.")] = 1,
    again: Annotated[bool, typer.Option("--again", help="Repeat what was recorded.")] = False,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="Stop after so long; the same command goes on.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a suite against the whole product, or against a tool, a skill or a model."""
    from hammerstone.core.errors import BadRequest
    from hammerstone.core.evaluations import EvaluationSet
    from hammerstone.evaluation.board.evaluation import BoardOptions

    if sum(map(bool, (tool, skill, model))) > 1:
        raise BadRequest("give one of --tool, --skill and --model")
    budget = None if minutes is None else minutes * 60
    options = BoardOptions(EvaluationSet.FULL, again=again, repeat=repeat, budget_s=budget)
    asyncio.run(_run(_shelf().get(name), (tool, skill, model), options, as_json))


async def _run(
    suite: "Suite", against: tuple[str, str, str], options: "BoardOptions", as_json: bool
) -> None:
    from dataclasses import replace

    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.evaluation import evaluate_board
    from hammerstone.evaluation.suites.suite_measurement import with_judge
    from hammerstone.serve.cli.evals.board.board_output import BoardOutput, show_run
    from hammerstone.serve.cli.evals.board.board_progress import TerminalProgress
    from hammerstone.storage import Database

    settings = load_settings(**({"model": against[2]} if against[2] else {}))
    subject = await _version(against)
    chosen = with_judge(suite, replace(_measurement(suite, against), subject=subject))
    options = replace(options, names=tuple(one.name for one in chosen))
    db = await Database.open(settings)
    progress = TerminalProgress()
    try:
        run = await evaluate_board(
            db, settings, options, progress=progress, on_start=progress.started, known=chosen
        )
        progress.done()
        await show_run(db, run, BoardOutput(None, False, as_json))
    finally:
        progress.done()
        await db.close()


async def _version(against: tuple[str, str, str]) -> str:
    """The version of the tool or skill that is run. Raises `NotFound` for one that is not there."""
    from hammerstone.app.hammerstone import Hammerstone

    tool, skill, _ = against
    if not tool and not skill:
        return ""
    async with Hammerstone.open() as hs:
        if tool:
            return (await hs.tools.get(tool)).version.id
        return (await hs.skills.open(skill)).digest


def _measurement(suite: "Suite", against: tuple[str, str, str]) -> "Measurement":
    from functools import partial

    from hammerstone.evaluation.suites.suite_measurement import (
        model_alone,
        one_skill,
        one_tool,
        suite_measurement,
    )

    tool, skill, model = against
    if tool:
        subject = partial(one_tool, name=tool)
        return suite_measurement(suite, subject, against=f"tool {tool}", model=False)
    if skill:
        subject = partial(one_skill, name=skill)
        return suite_measurement(suite, subject, against=f"skill {skill}", model=False)
    if model:
        return suite_measurement(suite, model_alone, against="the model alone")
    return suite_measurement(suite)


@app.command("from-trace")
def from_trace(
    trace: Annotated[str, typer.Argument(help="A trace's id, or its beginning.")],
    suite: Annotated[str, typer.Option(help="The suite that gets the case.")] = "own",
    expect: Annotated[
        str | None, typer.Option(help="What is right, where the trace's result is not.")
    ] = None,
) -> None:
    """Make a case of a trace: its request, and the result that it had."""
    asyncio.run(_from_trace(trace, suite, expect))


async def _from_trace(trace: str, suite: str, expect: str | None) -> None:
    import json

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.evaluation.suites.from_trace import case_of_trace, files_of_trace

    async with Hammerstone.open() as hs:
        row, spans = await hs.traces.get(trace)
        case = case_of_trace(row, expect, spans)
        files = await files_of_trace(hs, row)
    _shelf().append(suite, case, files)
    beside = f" (with {', '.join(files)})" if files else ""
    asked = case.get("request") or json.dumps(case["arguments"])
    typer.echo(f"{case['id']} is in the suite {suite}: {asked}{beside} -> {case['expect']}")
