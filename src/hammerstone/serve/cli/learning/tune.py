"""`hammerstone tune`: better numbers for policies, from labelled decisions."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, moment
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(
    help="Look for better numbers of policies on past decisions.", no_args_is_help=True
)

Knobs = Annotated[list[str] | None, typer.Argument(help="Which knobs; all without a name.")]


@app.command()
def run(
    knobs: Knobs = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tune now; what surely helps is proposed.

    Values are searched on earlier decisions and judged on later ones.
    """
    rows, missing = asyncio.run(_run(knobs or [], dry_run))
    if as_json:
        print_json(rows)
        return
    if missing:
        tell(f"{missing[0].upper()}{missing[1:]}.")
    for row in rows:
        say(f"{row['knob']}: {row['told']}")
    if dry_run and any(row["proposal"] for row in rows):
        tell("Nothing was proposed: this was a dry run.")


async def _run(knobs: list[str], dry_run: bool) -> tuple[list[Any], str]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs, hs.stop.calling():
        done = await hs.tuning.run(knobs, dry_run=dry_run)
        return [one.to_json() for one in done], hs.tuning.method


@app.command()
def show(as_json: AsJson = False) -> None:
    """Show what can be tuned, and the values in use."""
    rows = with_engine(_show)
    if as_json:
        print_json(rows)
        return
    columns = (Column("knob"), Column("values in use"), Column("what it decides", flows=True))
    show_table(columns, [(row["knob"], _values(row["present"]), row["about"]) for row in rows])


async def _show(hs: "Hammerstone") -> list[Any]:
    return hs.tuning.show()


@app.command()
def history(
    knob: Annotated[str, typer.Option("--knob", help="Only of this knob.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show past studies: what was tried, and what came of it."""
    rows = with_engine(lambda hs: hs.tuning.past(knob, limit))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("Nothing was tuned yet.")
        return
    columns = (
        Column("when"),
        Column("knob"),
        Column("tried", leaves=1),
        Column("found", flows=True),
    )
    show_table(columns, [_past(row) for row in rows])


def _past(row: dict[str, Any]) -> tuple[str, ...]:
    outcome = row["outcome"] or {}
    found = f"{outcome.get('finding', row['state'])}: {outcome.get('reason', 'not finished')}"
    return moment(row["began_at"]), row["knob"], count(row["trials"], "value"), found


def _values(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())
