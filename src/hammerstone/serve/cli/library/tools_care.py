"""`hammerstone tools ...`: looking after the library."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hammerstone.core.formatting import count, percent
from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

Name = Annotated[str, typer.Argument(help="The tool's name.", autocompletion=complete_tools)]
Folder = Annotated[Path, typer.Argument(help="A folder with one folder for each tool.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]
_MOST_TOOLS = 20
Why = Annotated[str, typer.Option("--why", help="The reason, kept with the change.")]


def register(app: typer.Typer) -> None:
    for command in (restore, retire, unretire, deprecate, merge, export, sync, seed, upkeep):
        app.command()(command)
    app.command()(duplicates)
    app.command()(cache)


def _say_standing(tool: Any) -> None:
    say(f"{tool.name} is at v{tool.version.number}, {tool.status}")


def restore(
    name: Name, version: Annotated[int, typer.Argument(help="The version's number.")]
) -> None:
    """Use an earlier version of a tool again."""
    tool = with_engine(lambda hs: hs.tools.restore(name, version, who=hs.settings.user))
    _say_standing(tool)


def retire(name: Name, why: Why = "retired by hand") -> None:
    """Take a tool out of use; nothing is deleted."""
    _say_standing(with_engine(lambda hs: hs.tools.retire(name, who=hs.settings.user, reason=why)))


def unretire(name: Name) -> None:
    """Bring a retired or deprecated tool back."""
    _say_standing(with_engine(lambda hs: hs.tools.unretire(name, who=hs.settings.user)))


def deprecate(
    name: Name,
    better: Annotated[str, typer.Argument(help="The tool to use instead.")],
    why: Why = "a better one exists",
) -> None:
    """Point at a better tool. This one is no longer found, but can still be called by name."""
    _say_standing(
        with_engine(lambda hs: hs.tools.deprecate(name, better, who=hs.settings.user, reason=why))
    )


def merge(name: Name, other: Annotated[str, typer.Argument(help="Another tool.")]) -> None:
    """Make one tool of two that do the same, with the tests of both; refused when they differ."""
    tool = with_engine(lambda hs: hs.library.merge(name, other))
    gone = other if tool.name == name else name
    say(f"{tool.name} v{tool.version.number} stays; {gone} is deprecated")


def export(
    folder: Folder,
    names: Annotated[list[str] | None, typer.Argument(help="Only these tools.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write tools as plain files: tool.py, a pytest file and tool.toml each."""
    _report_sync(with_engine(lambda hs: hs.library.export(folder, names or None)), as_json)


def sync(folder: Folder, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Make the library and a folder of plain files agree, both ways.

    An edited tool becomes a new version once it is proved. Broken files and conflicts are
    listed and stay as they are.
    """
    _report_sync(with_engine(lambda hs: hs.library.sync(folder, dry_run=dry_run)), as_json)


def _report_sync(report: Any, as_json: bool) -> None:
    if as_json:
        print_json(report.to_json())
    else:
        counts: dict[str, int] = {}
        for entry in report.entries:
            counts[str(entry.action)] = counts.get(str(entry.action), 0) + 1
            if str(entry.action) != "unchanged":
                first, *more = entry.details or ("",)
                say(f"{entry.action!s:12} {entry.name}  {first}".rstrip())
                for line in more:
                    say(f"{'':12} {line}")
        summary = ", ".join(f"{number} {action}" for action, number in counts.items())
        tell(summary or "There is nothing to do.")
    if report.troubled:
        raise typer.Exit(1)


def seed(
    verify: Annotated[
        bool, typer.Option("--verify", help="Prove every tool again in this machine's sandbox.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add the starter set: a few dozen verified tools. What is there already stays."""
    report = with_engine(lambda hs: hs.library.seed(verify=verify))
    if as_json:
        print_json(report.to_json())
    else:
        say(f"{len(report.added)} added, {len(report.updated)} updated, {len(report.kept)} kept")
        for name, problems in report.refused.items():
            tell(f"refused: {name}: {problems[0]}")
    if report.refused:
        raise typer.Exit(1)


def upkeep(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Update each tool's status by how it was used, and mend the search index."""
    report = with_engine(lambda hs: hs.library.upkeep(dry_run=dry_run))
    if as_json:
        print_json(report.to_json())
        return
    for change in report.standings:
        say(f"{change.tool}: {change.before} -> {change.after} ({change.reason})")
    for name in report.not_indexed:
        say(f"{name}: was missing in the search")
    for name in report.without_tool:
        say(f"{name}: was in the search and is no tool in use")
    for name in report.empty:
        say(f"{name}: had no version")
    would = "would be made" if dry_run else "made"
    tell(f"{count(report.changes, 'change')} {would}.")


def duplicates(as_json: AsJson = False) -> None:
    """Find tools that behave the same, by running them on the same inputs."""
    pairs = with_engine(lambda hs: hs.library.duplicates())
    if as_json:
        print_json([{"tool": p.tool, "duplicate": p.duplicate, "agreed": p.agreed} for p in pairs])
        return
    for pair in pairs:
        say(f"{pair.duplicate} does what {pair.tool} does: the same result on {pair.agreed} inputs")
        tell(f"  try: hammerstone tools merge {pair.tool} {pair.duplicate}")
    if not pairs:
        tell("No two tools do the same.")


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete every stored result.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the stored results of tools, and how often one was used instead of a call."""
    if clear:
        gone = with_engine(lambda hs: hs.library.clear_cache())
        tell(f"{count(gone, 'stored result')} deleted.")
    stats: dict[str, Any] = with_engine(lambda hs: hs.library.cache())
    if as_json:
        print_json(stats)
        return
    state = "in use" if stats["enabled"] else "off"
    rate = "" if stats["hit_rate"] is None else f" ({percent(stats['hit_rate'])})"
    say(
        f"The store of results is {state}: {count(stats['results'], 'result')}; "
        f"{count(stats['hits'] + stats['misses'], 'call')}, {stats['hits']} found there{rate}."
    )
    if stats["by_tool"]:
        columns = (Column("tool"), Column("found", right=True), Column("not found", right=True))
        rows = stats["by_tool"][:_MOST_TOOLS]
        show_table(columns, [(row["tool"], row["hits"], row["misses"]) for row in rows])
