"""`hammerstone doctor`: is everything here, and if not, what to type."""

import asyncio
from typing import Annotated

import typer

from hammerstone.serve.cli.output import console, print_json


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is configured, what is missing, and the command that fixes it.

    Exit code 0 when Hammerstone can work here, 1 when something needed is missing.
    """
    from hammerstone.app.doctor import examine
    from hammerstone.core.settings import load_settings

    findings = asyncio.run(examine(load_settings()))
    works = all(finding.ok for finding in findings if finding.needed)
    if as_json:
        print_json({"ok": works, "findings": [finding.to_json() for finding in findings]})
    else:
        from rich.markup import escape

        out = console()
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            mark = "[green]ok[/]  " if finding.ok else "[red]no[/]  "
            if not finding.ok and not finding.needed:
                mark = "[yellow]note[/]"
            out.print(f"{mark} {finding.name:<{width}}  {escape(finding.detail)}")
            if finding.fix:
                out.print(f"     {'':<{width}}  [bold]try: {escape(finding.fix)}[/]")
        out.print("\nready" if works else "\n[red]not ready[/]")
    if not works:
        raise typer.Exit(1)
