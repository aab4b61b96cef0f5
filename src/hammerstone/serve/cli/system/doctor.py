"""`hammerstone doctor`: is everything here and protected, and if not, what to type."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from hammerstone.serve.cli.output import console, print_json


def doctor(
    security: Annotated[
        bool, typer.Option("--security", help="The state of each security control instead.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is configured, what is missing, and the command that fixes it.

    Exit code 0 when Hammerstone can work here, 1 when something needed is missing; with
    `--security` 1 when a control is off.
    """
    holds = _security(as_json) if security else _health(as_json)
    if not holds:
        raise typer.Exit(1)


def _health(as_json: bool) -> bool:
    from hammerstone.app.doctor import examine
    from hammerstone.core.settings import load_settings

    findings = asyncio.run(examine(load_settings()))
    works = all(finding.ok for finding in findings if finding.needed)
    if as_json:
        print_json({"ok": works, "findings": [finding.to_json() for finding in findings]})
        return works
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
    return works


def _security(as_json: bool) -> bool:
    from hammerstone.app.security import ControlState, security_controls
    from hammerstone.core.settings import load_settings

    controls = asyncio.run(security_controls(load_settings(), Path.cwd()))
    count = {state: sum(one.state is state for one in controls) for state in ControlState}
    holds = not count[ControlState.OFF]
    if as_json:
        print_json({"ok": holds, "controls": [control.to_json() for control in controls]})
        return holds
    from rich.markup import escape

    out = console()
    width = max(len(control.name) for control in controls)
    colours = {ControlState.OK: "green", ControlState.WEAK: "yellow", ControlState.OFF: "red"}
    for control in controls:
        mark = f"[{colours[control.state]}]{control.state:<4}[/]"
        fix = f"  [bold]try: {escape(control.fix)}[/]" if control.fix else ""
        line = f"{mark} {control.name:<{width}}  {escape(control.detail)}{fix}"
        out.print(line, soft_wrap=True)
    out.print(f"\n{', '.join(f'{count[state]} {state}' for state in ControlState)}")
    return holds
