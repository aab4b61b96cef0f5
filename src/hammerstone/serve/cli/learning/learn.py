"""`hammerstone learn`: what is learned between requests, and learning now."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, decimal, duration, moment, percent
from hammerstone.serve.cli.completion import complete_sessions, complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="What is learned from use.", no_args_is_help=True)


@app.command()
def run(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn from past requests now.

    Finds patterns, joins tools that follow each other, checks new versions, mends failures, and
    looks for better numbers.
    """
    report: dict[str, Any] = with_engine(lambda hs: hs.learning.run(dry_run=dry_run))
    if as_json:
        print_json(report)
        return
    for job in report["jobs"]:
        say(f"{job['job']}: {_told(job, dry_run)}")
        for change in job["report"].get("changes", []):
            because = f", because: {change['why']}" if change["why"] else ""
            say(f"  {change['what']}{because}")


def _told(job: dict[str, Any], dry_run: bool) -> str:
    """What became of one turn, in a line."""
    if job["state"] == "busy":
        return "another process is at it right now"
    if job["state"] == "failed":
        return f"failed: {job['reason']}"
    changes = job["report"].get("changes", [])
    if not job["why"] and not changes:
        return "nothing new"
    verb = "would change" if dry_run else "changed"
    took = f"{duration(job['seconds'])}, {count(job['tokens'], 'token')}"
    what = count(len(changes), "thing") if changes else "nothing"
    return f"{verb} {what} ({job['why'] or 'asked for'}; it took {took})"


@app.command()
def jobs(as_json: AsJson = False) -> None:
    """Show what runs between requests: when, what it cost, and what it saved."""
    rows = [one.to_json() for one in with_engine(lambda hs: hs.learning.jobs.standings())]
    if as_json:
        print_json(rows)
        return
    columns = (
        Column("job"),
        Column("last turn"),
        Column("next turn"),
        Column("cost", right=True),
        Column("saved", right=True),
        Column("how often, and what is new", flows=True),
    )
    show_table(columns, [_job(row) for row in rows])


def _job(row: dict[str, Any]) -> tuple[str, ...]:
    last = moment(row["last_at"]) if row["last_at"] else "never"
    if row["last_state"] == "failed":
        last += f" (failed: {row['last_reason']})"
    new = row["news"] or "nothing new, so it does not run"
    upcoming = moment(row["next_at"]) if row["next_at"] else "not by itself"
    spent = [duration(row[name]) if row["last_at"] else "-" for name in ("cost_s", "saved_s")]
    return row["name"], last, upcoming, *spent, f"{row['pace_words']}; {new}"


@app.command()
def patterns(
    min_frequency: Annotated[
        int, typer.Option("--min-frequency", min=1, help="Seen so often at least.")
    ] = 2,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Show which tools are used one after the other."""
    rows = with_engine(lambda hs: _patterns(hs, min_frequency, limit))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No tools were used one after the other often enough.")
    for row in rows:
        times = f"{count(row['frequency'], 'time')} in {count(row['sessions'], 'session')}"
        chain = " > ".join(row["steps"])
        say(f"{chain}: {times}, {percent(row['success'])} went well ({row['kind']})")


async def _patterns(hs: "Hammerstone", min_frequency: int, limit: int) -> list[Any]:
    found = await hs.learning.patterns.patterns(min_frequency, limit)
    return [pattern.to_json() for pattern in found]


@app.command()
def relationships(
    tool: Annotated[
        str | None,
        typer.Option("--tool", help="Only with this tool.", autocompletion=complete_tools),
    ] = None,
    min_confidence: Annotated[
        float, typer.Option("--min-confidence", min=0, max=1, help="So sure at least, 0 to 1.")
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Show which tool follows which, how often, and how surely."""
    rows = with_engine(lambda hs: _relationships(hs, tool, min_confidence))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No tool was seen to follow another one yet.")
    for row in rows:
        times, sure = count(row["count"], "time"), percent(row["confidence"])
        passed = f"{decimal(row['flowing'])} passed a value on"
        say(f"{row['source']} > {row['target']}: {times}, {sure} sure, {passed}")


async def _relationships(hs: "Hammerstone", tool: str | None, min_confidence: float) -> list[Any]:
    found = await hs.learning.patterns.relationships(tool, min_confidence)
    return [one.to_json() for one in found]


@app.command()
def forget(
    session: Annotated[
        str, typer.Argument(help="The session's id.", autocompletion=complete_sessions)
    ],
    keep_lessons: Annotated[
        bool, typer.Option("--keep-lessons", help="Keep the changes that came from it.")
    ] = False,
) -> None:
    """Remove a session from everything that was learned."""
    for line in with_engine(
        lambda hs: hs.learning.ledger.forget_session(session, lessons=not keep_lessons)
    ):
        say(line)
