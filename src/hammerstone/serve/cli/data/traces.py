"""`hammerstone traces`: what happened, step by step."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, duration, json_text, moment, shortened
from hammerstone.serve.cli.completion import complete_tools, complete_traces
from hammerstone.serve.cli.data.trace_steps import (
    asked_words,
    show_steps,
    state_words,
    total_words,
)
from hammerstone.serve.cli.output import AsJson, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="What happened in past requests, step by step.", no_args_is_help=True)

_LONGEST_REQUEST = 100

Trace = Annotated[
    str,
    typer.Argument(help="The trace's id, or how it begins.", autocompletion=complete_traces),
]


@app.command("list")
def list_traces(
    status: Annotated[str | None, typer.Option(help="success, error or timeout.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this user's.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List traces, newest first."""
    rows = with_engine(lambda hs: _list(hs, user, status, limit))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no traces yet.")
        return
    columns = (
        Column("trace"),
        Column("when", leaves=1),
        Column("ended"),
        Column("took", leaves=2, right=True),
        Column("request", flows=True),
    )
    show_table(columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    request = shortened(asked_words(row, json_text(row["request"])), _LONGEST_REQUEST)
    took, ended = duration(row["seconds"]), state_words(row["status"])
    return row["id"][:12], moment(row["started_at"]), ended, took, request


async def _list(
    hs: "Hammerstone", user: str | None, status: str | None, limit: int
) -> list[dict[str, Any]]:
    from hammerstone.app.present import trace_summary

    return [trace_summary(row) for row in await hs.traces.list(user, status, limit)]


@app.command()
def show(
    trace: Trace,
    every: Annotated[
        bool, typer.Option("--every", help="Also list calls that are counted as one step.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the steps of a trace: what each was for, how long it took, and what it cost."""
    shown = with_engine(lambda hs: _show(hs, trace, whole=as_json))
    if as_json:
        print_json(shown)
        return
    say(asked_words(shown, json_text(shown["request"])), style="bold")
    say(f"{total_words(shown)} · trace {shown['id'][:12]}", style="dim")
    for line in shown["done_with"]:
        say(line, style="dim")
    show_steps(shown["steps"], every=every)
    if not every:
        hint("Every single call: --every. What went in and out of each: --json")


async def _show(hs: "Hammerstone", trace: str, *, whole: bool) -> dict[str, Any]:
    from hammerstone.app.present import trace_document, trace_summary
    from hammerstone.app.traces.trace_steps import record_words
    from hammerstone.app.traces.trace_tree import tree_document

    row, spans = await hs.traces.get(trace)
    record = await hs.traces.record(row)
    if whole:
        return {**trace_document(row, spans), "record": record.to_json() if record else None}
    done_with = record_words(record) if record else []
    return {**trace_summary(row), **tree_document(row, spans), "done_with": done_with}


@app.command()
def replay(
    trace: Trace,
    tool_version: Annotated[
        int | None, typer.Option(min=1, help="Run this version of the tool instead.")
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(help="Which tool, when there are several.", autocompletion=complete_tools),
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file that the calls read.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the tools of a trace again, without a model. Exit code 1 when a result differs."""
    shown = _replay(trace, tool, tool_version, file or [])
    if as_json:
        print_json(shown)
    else:
        for step in shown["steps"]:
            mark = "=" if step["same"] else "x"
            mark = mark if step["made"] else "-"
            note = f"  ({step['note']})" if step["note"] else ""
            value = shortened(json_text(step["replayed"]), 120)
            say(f"{mark} {step['number']} {step['tool']} v{step['version']}: {value}{note}")
        if not shown["steps"]:
            say("No tool was called, so there is nothing to run again.")
        say(f"First difference: {shown['difference'] or 'none'}")
        calls = count(shown["model_calls_from_record"], "model call")
        tell(f"{calls} taken from the record.", style="dim")
    if shown["difference"]:
        raise typer.Exit(1)


def _replay(trace: str, tool: str | None, version: int | None, files: list[Path]) -> dict[str, Any]:
    from hammerstone.core.errors import BadRequest

    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        raise BadRequest(f"there is no file {missing[0]}", hint="check its name")
    named = {path.name: path.absolute() for path in files}
    done = with_engine(
        lambda hs: hs.traces.replay(trace, tool=tool, version=version, files=named or None)
    )
    return done.to_json()


@app.command()
def compare(
    left: Trace,
    right: Trace,
    as_json: AsJson = False,
) -> None:
    """Show where two traces differ first, and what each cost. Exit code 1 when they differ."""
    shown: dict[str, Any] = with_engine(lambda hs: hs.traces.compare(left, right)).to_json()
    if as_json:
        print_json(shown)
    else:
        for cost in shown["costs"]:
            models = count(cost["model_calls"], "model call")
            tools = count(cost["tool_calls"], "tool call")
            tokens = count(cost["tokens"], "token")
            took = f"{state_words(cost['status'])}, {duration(cost['seconds'])}"
            say(f"{cost['trace_id'][:12]}  {took}, {models}, {tokens}, {tools}")
        if shown["same"]:
            say("The same steps with the same inputs and outputs.")
        else:
            say(f"They differ first at step {shown['place']} ({shown['name']}): {shown['what']}")
            say(f"  left:  {shortened(json_text(shown['left']), 300)}")
            say(f"  right: {shortened(json_text(shown['right']), 300)}")
    if not shown["same"]:
        raise typer.Exit(1)
