"""`hammerstone eval` itself: everything that can be measured here, recorded and shown."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.evals.board.board_output import (
    BoardOutput,
    ablate,
    compare_named,
    forget_run,
    list_runs,
    show_named,
    show_run,
)

if TYPE_CHECKING:
    from hammerstone.evaluation.board.evaluation import BoardOptions
    from hammerstone.storage import Database


def scoreboard(
    context: typer.Context,
    chosen: Annotated[
        str, typer.Option("--set", help="instant, quick (ten minutes) or full.")
    ] = "quick",
    chapter: Annotated[
        list[str] | None, typer.Option("--chapter", help="This chapter only; several times.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="This measurement only; several times.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of the data files.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", help="policy.key=value for this evaluation; several times."),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, help="Do each case N times to find flaky ones.")
    ] = 1,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat what these versions have done before.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a broken-off run, or say there is none.")
    ] = False,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.1, help="Time instead of the set's own.")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--compare",
            help="Compare two recorded runs: ids, git revisions, models, policies, last, before.",
        ),
    ] = None,
    fail: Annotated[
        bool, typer.Option("--fail-on-regression", help="Exit with 1 when something got worse.")
    ] = False,
    hold: Annotated[
        Path | None,
        typer.Option(
            "--hold",
            help="Exit with 1 when a number is worse than in this file; a new file is written.",
        ),
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Each mechanism off in turn; one table.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the recorded runs.")] = False,
    show: Annotated[str, typer.Option("--show", help="Show a recorded run again.")] = "",
    forget: Annotated[str, typer.Option("--forget", help="Take a recorded run away.")] = "",
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the page here (.html).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure everything that can be measured here, and show it beside baselines and targets."""
    if context.invoked_subcommand is not None:
        return
    options = _options(chosen, chapter or [], only or [], policy or [])
    options = _with(options, data=data, repeat=repeat, again=again, resume=resume)
    options = _with(options, budget_s=None if minutes is None else minutes * 60)
    output = BoardOutput(report, fail, as_json, hold)
    if compare is not None:
        asyncio.run(_with_database(lambda db: compare_named(db, compare, options, output)))
    elif listed:
        asyncio.run(_with_database(lambda db: list_runs(db, output)))
    elif show:
        asyncio.run(_with_database(lambda db: show_named(db, show, output)))
    elif forget:
        asyncio.run(_with_database(lambda db: forget_run(db, forget)))
    elif ablation:
        asyncio.run(_with_database(lambda db: ablate(db, options, output)))
    else:
        asyncio.run(_with_database(lambda db: _evaluate(db, options, output)))


async def _with_database(act: "Callable[[Database], Awaitable[None]]") -> None:
    from hammerstone.core.settings import load_settings
    from hammerstone.storage import Database

    db = await Database.open(load_settings())
    try:
        await act(db)
    finally:
        await db.close()


def _options(
    chosen: str, chapters: list[str], names: list[str], policies: list[str]
) -> "BoardOptions":
    from hammerstone.core.evaluations import Chapter, EvaluationSet
    from hammerstone.evaluation.board.evaluation import BoardOptions

    return BoardOptions(
        chosen=_one_of(EvaluationSet, chosen, "--set"),
        chapters=tuple(_one_of(Chapter, name, "--chapter") for name in chapters),
        names=tuple(names),
        policies=_policies(policies),
    )


def _with(options: "BoardOptions", **changes: Any) -> "BoardOptions":
    from dataclasses import replace

    return replace(options, **changes)


def _one_of(kind: Any, word: str, option: str) -> Any:
    from hammerstone.core.errors import BadRequest

    try:
        return kind(word)
    except ValueError:
        known = ", ".join(str(each) for each in kind)
        raise BadRequest(f"{option} {word} is not known", hint=f"one of: {known}") from None


def _policies(given: list[str]) -> dict[str, dict[str, Any]]:
    from hammerstone.core.errors import BadRequest

    changes: dict[str, dict[str, Any]] = {}
    for text in given:
        name, _, value = text.partition("=")
        policy, dot, key = name.rpartition(".")
        try:
            changes.setdefault(policy, {})[key] = json.loads(value)
        except ValueError:
            dot = ""
        if not dot:
            raise BadRequest(f"{text!r} is not policy.key=value with a JSON value")
    return changes


async def _evaluate(db: "Database", options: "BoardOptions", output: BoardOutput) -> None:
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.evaluation import evaluate_board
    from hammerstone.serve.cli.evals.board.board_progress import TerminalProgress

    progress = TerminalProgress()
    try:
        run = await evaluate_board(
            db, load_settings(), options, progress=progress, on_start=progress.started
        )
    finally:
        progress.done()
    await show_run(db, run, output)
