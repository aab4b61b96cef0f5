"""`hammerstone labels`: was the tool right that search chose? What is known, and your word."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import percent
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(
    help="Whether decisions were right: what is known, and your own word.", no_args_is_help=True
)

What = Annotated[str, typer.Option("--about", help="The tool or the answer: tool, answer.")]


@app.command("list")
def list_labels(
    every: Annotated[
        bool, typer.Option("--all", help="All of your last decisions, not only useful ones.")
    ] = False,
    what: What = "tool",
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the decisions whose label would help most."""
    rows = with_engine(lambda hs: _list(hs, every, what, limit))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There is no decision to label yet. Ask for something first.")
        return
    columns = (
        Column("decision"),
        Column("chosen"),
        Column("known"),
        Column("sure", right=True, leaves=1),
        Column("request, and why", flows=True),
    )
    show_table(columns, [_cells(row) for row in rows])
    tell("Your word: hammerstone labels set DECISION --right, or --wrong --tool NAME")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    from hammerstone.app.words.tool_words import sign_words

    known = {True: "right", False: "wrong", None: "open"}[row["right"]]
    if row["contradicted"]:
        known += ", contradicted"
    signals = ", ".join(
        f"{sign_words(one['kind'])} {percent(one['worth'])}" for one in row["signals"]
    )
    because = f" ({signals})" if signals else ""
    sure = percent(row["certainty"]) if row["signals"] else ""
    return row["decision"], row["chosen"] or "none", known, sure, f"{row['request']}{because}"


async def _list(hs: "Hammerstone", every: bool, what: str, limit: int) -> list[Any]:
    look = hs.labels.list if every else hs.labels.queue
    return [label.to_json() for label in await look(what=what, limit=limit)]


@app.command("set")
def set_label(
    decision: Annotated[str, typer.Argument(help="The decision's id.")],
    right: Annotated[bool, typer.Option("--right/--wrong", help="Whether the decision was right.")],
    tool: Annotated[str, typer.Option("--tool", help="The tool that is right instead.")] = "",
    what: What = "tool",
    as_json: AsJson = False,
) -> None:
    """Say whether a decision was right."""
    label = with_engine(lambda hs: hs.labels.set(decision, right, tool=tool, what=what)).to_json()
    if as_json:
        print_json(label)
        return
    instead = f"; {tool} is" if tool else ""
    say(f"Noted: {label['chosen'] or 'no tool'} was {'right' if right else 'wrong'}{instead}.")
    if label["contradicted"]:
        tell("Something else points the other way, so it counts for less.")
