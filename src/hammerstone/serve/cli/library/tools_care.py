"""`hammerstone tools ...`: looking after the library."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The tool's name.")]
Folder = Annotated[Path, typer.Argument(help="A folder with one folder for each tool.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]
Why = Annotated[str, typer.Option("--why", help="The reason, kept with the change.")]


def register(app: typer.Typer) -> None:
    for command in (restore, retire, unretire, deprecate, merge, export, sync, seed, upkeep):
        app.command()(command)
    app.command()(duplicates)
    app.command()(cache)


def _with_engine(work: Callable[[Any], Awaitable[Any]]) -> Any:
    async def once() -> Any:
        from hammerstone.app.hammerstone import Hammerstone

        async with Hammerstone.open() as hs:
            return await work(hs)

    return asyncio.run(once())


def _say_standing(tool: Any) -> None:
    typer.echo(f"{tool.name} is at v{tool.version.number}, {tool.status}")


def restore(
    name: Name, version: Annotated[int, typer.Argument(help="The version's number.")]
) -> None:
    """Make an earlier version of a tool the active one."""
    tool = _with_engine(lambda hs: hs.tools.restore(name, version, who=hs.settings.user))
    _say_standing(tool)


def retire(name: Name, why: Why = "retired by hand") -> None:
    """Take a tool out of use; nothing is deleted."""
    _say_standing(_with_engine(lambda hs: hs.tools.retire(name, who=hs.settings.user, reason=why)))


def unretire(name: Name) -> None:
    """Bring a retired or deprecated tool back."""
    _say_standing(_with_engine(lambda hs: hs.tools.unretire(name, who=hs.settings.user)))


def deprecate(
    name: Name,
    better: Annotated[str, typer.Argument(help="The tool to use instead.")],
    why: Why = "a better one exists",
) -> None:
    """Point at a better tool; this one is no longer found, and can be called by name."""
    _say_standing(
        _with_engine(lambda hs: hs.tools.deprecate(name, better, who=hs.settings.user, reason=why))
    )


def merge(name: Name, other: Annotated[str, typer.Argument(help="Another tool.")]) -> None:
    """Make two tools that do the same into one, with both suites; refused when they differ."""
    tool = _with_engine(lambda hs: hs.library.merge(name, other))
    gone = other if tool.name == name else name
    typer.echo(f"{tool.name} v{tool.version.number} stays; {gone} is deprecated")


def export(
    folder: Folder,
    names: Annotated[list[str] | None, typer.Argument(help="Only these tools.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write tools as plain files: tool.py, a pytest file and tool.toml each."""
    _report_sync(_with_engine(lambda hs: hs.library.export(folder, names or None)), as_json)


def sync(folder: Folder, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Bring the library and a folder of plain files in step, both ways.

    An edited tool becomes a new version once it is proved; broken files and conflicts are
    listed and left alone.
    """
    _report_sync(_with_engine(lambda hs: hs.library.sync(folder, dry_run=dry_run)), as_json)


def _report_sync(report: Any, as_json: bool) -> None:
    if as_json:
        print_json(report.to_json())
    else:
        counts: dict[str, int] = {}
        for entry in report.entries:
            counts[str(entry.action)] = counts.get(str(entry.action), 0) + 1
            if str(entry.action) != "unchanged":
                first, *more = entry.details or ("",)
                typer.echo(f"{entry.action!s:12} {entry.name}  {first}".rstrip())
                for line in more:
                    typer.echo(f"{'':12} {line}")
        summary = ", ".join(f"{number} {action}" for action, number in counts.items())
        typer.echo(summary or "there is nothing to do", err=True)
    if report.troubled:
        raise typer.Exit(1)


def seed(
    verify: Annotated[
        bool, typer.Option("--verify", help="Prove every tool again in this machine's sandbox.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add the starter set: a few dozen verified tools. What is there already stays."""
    report = _with_engine(lambda hs: hs.library.seed(verify=verify))
    if as_json:
        print_json(report.to_json())
    else:
        typer.echo(
            f"{len(report.added)} added, {len(report.updated)} updated, {len(report.kept)} kept"
        )
        for name, problems in report.refused.items():
            typer.echo(f"refused: {name}: {problems[0]}", err=True)
    if report.refused:
        raise typer.Exit(1)


def upkeep(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Bring standings in line with use, and clean up what has lost its other half."""
    report = _with_engine(lambda hs: hs.library.upkeep(dry_run=dry_run))
    if as_json:
        print_json(report.to_json())
        return
    for change in report.standings:
        typer.echo(f"{change.tool}: {change.before} -> {change.after} ({change.reason})")
    for name in report.not_indexed:
        typer.echo(f"{name}: could not be found by search")
    for name in report.without_tool:
        typer.echo(f"{name}: could be found, and is no tool in use")
    for name in report.empty:
        typer.echo(f"{name}: a name without any version")
    would = "would change" if dry_run else "changed"
    typer.echo(f"{report.changes} {would}", err=True)


def duplicates(as_json: AsJson = False) -> None:
    """Find tools that behave the same, by running them on the same inputs."""
    pairs = _with_engine(lambda hs: hs.library.duplicates())
    if as_json:
        print_json([{"tool": p.tool, "duplicate": p.duplicate, "agreed": p.agreed} for p in pairs])
        return
    for pair in pairs:
        typer.echo(
            f"{pair.duplicate} does what {pair.tool} does: the same result on {pair.agreed} inputs"
        )
        typer.echo(f"  try: hammerstone tools merge {pair.tool} {pair.duplicate}", err=True)
    if not pairs:
        typer.echo("no two tools do the same", err=True)


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Forget every result.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the execution cache: results kept, hits and misses."""
    if clear:
        gone = _with_engine(lambda hs: hs.library.clear_cache())
        typer.echo(f"{gone} results forgotten", err=True)
    stats = _with_engine(lambda hs: hs.library.cache())
    if as_json:
        print_json(stats)
        return
    rate = "" if stats["hit_rate"] is None else f" ({stats['hit_rate']:.0%} hits)"
    state = "on" if stats["enabled"] else "off"
    typer.echo(
        f"{state}: {stats['results']} results, {stats['hits']} hits, {stats['misses']} misses{rate}"
    )
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("tool", "hits", "misses"):
        table.add_column(column)
    for row in stats["by_tool"][:20]:
        table.add_row(str(row["tool"]), str(row["hits"]), str(row["misses"]))
    if stats["by_tool"]:
        console().print(table)
