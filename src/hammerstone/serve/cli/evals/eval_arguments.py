"""`hammerstone eval arguments`: how often the arguments of a call are read rightly."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import print_json, say, tell

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject
    from hammerstone.evaluation.answers.argument_scores import ScoredArguments


def register(app: typer.Typer) -> None:
    """Add the command to `hammerstone eval`."""
    app.command("arguments")(arguments)


def arguments(
    data: Annotated[Path, typer.Option(help="Lines of {query, function, accepted}.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first cases.")] = None,
    state: Annotated[
        Path | None, typer.Option(help="Keep results here and go on where a run stopped.")
    ] = None,
    baseline: Annotated[
        bool, typer.Option(help="Read every case the plain way, too, for comparison.")
    ] = True,
    parallel: Annotated[int, typer.Option(min=1, help="Cases at the same time.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read arguments from requests with the configured model, and count the accepted ones."""
    from hammerstone.core.chat import Role
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.answers.argument_scores import (
        argument_progress,
        evaluate,
        read_cases,
    )
    from hammerstone.models.opening import open_models
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    settings = load_settings()
    cases = read_cases(data, limit)
    ensure_files(settings)

    async def run() -> "JsonObject":
        models = open_models(settings)
        try:
            return await evaluate(
                cases,
                models.for_role(Role.PLANNER),
                progress=argument_progress(state),
                baseline=baseline,
                parallel=parallel,
                on_case=None if as_json else _show,
            )
        finally:
            await models.close()

    report = asyncio.run(run())
    if as_json:
        print_json(report)
        return
    for name, value in report.items():
        say(f"{name:38} {value}")


def _show(scored: "ScoredArguments") -> None:
    mark = "ok" if scored.right else "WRONG"
    tell(f"{scored.case:4} {scored.way:9} {mark:5} {scored.seconds:6.1f} s")
