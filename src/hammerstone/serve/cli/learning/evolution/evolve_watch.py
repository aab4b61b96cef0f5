"""`hammerstone evolve watch|notes|preset`: the monitor, notes for tools, and presets."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.learning.evolution.evolve import SuiteName, with_bench
from hammerstone.serve.cli.learning.evolution.evolve_requests import app
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone


@app.command()
def watch(suite: SuiteName, as_json: AsJson = False) -> None:
    """Run a suite now and watch it every day: drift, and changes that lost, are noticed."""
    document = with_bench(lambda hs: _watch(hs, suite))
    if as_json:
        print_json(document)
        return
    say(f"{suite}: {document['finding']}. {document['why']}.")
    if document["followed"]:
        say(document["followed"])


async def _watch(hs: "Hammerstone", suite: str) -> dict[str, Any]:
    from hammerstone.serve.evolution_view import decision_json

    return decision_json(suite, await hs.evolution.watch(suite))


@app.command()
def notes(
    target: Annotated[str | None, typer.Argument(help="A tool or a skill.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what should be changed about tools and skills, as judges of traces wrote it."""
    rows = with_bench(lambda hs: _notes(hs, target))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No notes yet: hammerstone evolve judge")
        return
    columns = (Column("for"), Column("by"), Column("note", flows=True))
    show_table(columns, [(row["target"], row["source"], row["note"]) for row in rows])


async def _notes(hs: "Hammerstone", target: str | None) -> list[Any]:
    return [
        {
            "kind": row.kind,
            "target": row.target,
            "note": row.note,
            "source": row.source,
            "trace_id": row.trace_id,
            "at": row.at.isoformat(),
        }
        for row in await hs.evolution.notes(target)
    ]


@app.command()
def preset(
    name: Annotated[str, typer.Argument(help="innovate, harden or repair-only.")],
) -> None:
    """Choose a preset: which tracks may run, how many rounds, from which scores on."""
    with_bench(lambda hs: hs.evolution.set_preset(name, who=hs.settings.user))
    say(f"Preset {name} is chosen. `hammerstone policies show evolution` shows its numbers.")
