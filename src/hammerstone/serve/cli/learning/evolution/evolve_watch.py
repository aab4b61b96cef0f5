"""`hammerstone evolve watch|verdicts|notes|preset`: the monitor, verdicts, notes, and presets."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.learning.evolution.evolve import (
    AsJson,
    SuiteName,
    app,
    opened,
    show_verdicts,
)
from hammerstone.serve.cli.output import print_json, say, tell
from hammerstone.serve.cli.tables import Column, show_table


@app.command()
def watch(suite: SuiteName, as_json: AsJson = False) -> None:
    """Run a suite now and watch it every day: drift, and changes that lost, are noticed."""
    document = asyncio.run(_watch(suite))
    if as_json:
        print_json(document)
        return
    say(f"{suite}: {document['finding']}. {document['why']}.")
    if document["followed"]:
        say(document["followed"])


async def _watch(suite: str) -> dict[str, Any]:
    from hammerstone.serve.evolution_view import decision_json

    async with opened() as hs:
        return decision_json(suite, await hs.evolution.watch(suite))


@app.command()
def verdicts(
    limit: Annotated[int, typer.Option(help="At most so many.", min=1)] = 50,
    failed: Annotated[bool, typer.Option("--failed", help="Only of those that failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what the judges said about requests, newest first."""
    rows = asyncio.run(_verdicts(limit, failed))
    if as_json:
        print_json(rows)
    elif rows:
        show_verdicts("run", [{**row, "case": row["run_id"][:12]} for row in rows])
    else:
        tell("No request was judged yet: hammerstone evolve judge")


async def _verdicts(limit: int, failed: bool) -> list[Any]:
    from hammerstone.serve.evolution_view import verdict_json

    async with opened() as hs:
        rows = await hs.evolution.verdicts_of_requests(limit, failed=failed)
        return [verdict_json(row) for row in rows]


@app.command()
def notes(
    target: Annotated[str | None, typer.Argument(help="A tool or a skill.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what should be changed about tools and skills, as judges of traces wrote it."""
    rows = asyncio.run(_notes(target))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No notes yet: hammerstone evolve judge")
        return
    columns = (Column("for"), Column("by"), Column("note", flows=True))
    show_table(columns, [(row["target"], row["source"], row["note"]) for row in rows])


async def _notes(target: str | None) -> list[Any]:
    async with opened() as hs:
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
    asyncio.run(_preset(name))
    say(f"Preset {name} is chosen. `hammerstone policies show evolution` shows its numbers.")


async def _preset(name: str) -> None:
    async with opened() as hs:
        await hs.evolution.set_preset(name, who=hs.settings.user)
