"""`hammerstone learn`: what is learned between requests, and learning now."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

app = typer.Typer(help="What is learned from use.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def run(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mine what happened, build composites, watch new versions, mend what failed."""
    report = asyncio.run(_run(dry_run))
    if as_json:
        print_json(report)
        return
    out = console()
    mined = report["mined"]
    if mined["busy"]:
        out.print("somebody else is mining right now")
    else:
        out.print(f"{mined['runs']} new runs with {mined['executions']} calls counted")
    for part in ("stepped_back", "composites"):
        for one in report.get(part, []):
            chain = " > ".join(one["steps"])
            out.print(f"{one['outcome']}: {chain} {one['tool']} {one['reason']}", markup=False)
    for one in report["probation"]:
        out.print(f"{one['outcome']}: {one['target']}, {one['reason']}", markup=False)
    for one in report["repairs"]:
        out.print(f"{one['tool']}: {one['outcome']} {one.get('reason', '')}", markup=False)
    for what in report["does_not_pay"]:
        out.print(f"does not pay: {what}", markup=False)


async def _run(dry_run: bool) -> Any:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.learning.run(dry_run=dry_run)


@app.command()
def patterns(
    min_frequency: Annotated[int, typer.Option("--min-frequency", min=1)] = 2,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 30,
    as_json: AsJson = False,
) -> None:
    """Show which tools are used one after the other."""
    rows = asyncio.run(_patterns(min_frequency, limit))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        console().print(
            f"{row['frequency']:4} times in {row['sessions']} sessions, "
            f"{row['success']:.0%} well: {' > '.join(row['steps'])} ({row['kind']})",
            markup=False,
        )


async def _patterns(min_frequency: int, limit: int) -> list[Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        found = await hs.learning.patterns.patterns(min_frequency, limit)
        return [pattern.to_json() for pattern in found]


@app.command()
def relationships(
    tool: Annotated[str | None, typer.Option("--tool", help="Only with this tool.")] = None,
    min_confidence: Annotated[float, typer.Option("--min-confidence", min=0, max=1)] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Show which tool follows which, and how surely."""
    rows = asyncio.run(_relationships(tool, min_confidence))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        console().print(
            f"{row['source']} > {row['target']}: {row['count']} times, "
            f"{row['confidence']:.0%} sure, {row['flowing']} passed a value on",
            markup=False,
        )


async def _relationships(tool: str | None, min_confidence: float) -> list[Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        found = await hs.learning.patterns.relationships(tool, min_confidence)
        return [one.to_json() for one in found]


@app.command()
def forget(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    keep_lessons: Annotated[
        bool, typer.Option("--keep-lessons", help="Leave in force what came from it.")
    ] = False,
) -> None:
    """Take a session out of everything that was learned."""
    for line in asyncio.run(_forget(session, not keep_lessons)):
        typer.echo(line)


async def _forget(session: str, lessons: bool) -> list[str]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.learning.ledger.forget_session(session, lessons=lessons)
