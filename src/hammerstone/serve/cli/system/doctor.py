"""`hammerstone doctor`: is everything here and protected, and if not, what to type."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from hammerstone.serve.cli.output import AsJson, as_typed, print_json, say
from hammerstone.serve.cli.tables import Column, show_table


def doctor(
    security: Annotated[
        bool, typer.Option("--security", help="Check what protects this machine instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check that everything is here and works, and say what to type where it does not.

    Exit code 1 when something needed is missing; with `--security`, when a protection is off.
    """
    holds = _security(as_json) if security else _health(as_json)
    if not holds:
        raise typer.Exit(1)


def _health(as_json: bool) -> bool:
    from hammerstone.app.health.doctor import examine
    from hammerstone.core.settings import load_settings

    findings = asyncio.run(examine(load_settings()))
    works = all(finding.ok for finding in findings if finding.needed)
    if as_json:
        print_json({"ok": works, "findings": [finding.to_json() for finding in findings]})
        return works
    marks = [_mark(finding.ok, finding.needed) for finding in findings]
    rows = [
        (mark[0], f.name, _found(f.detail, f.fix)) for mark, f in zip(marks, findings, strict=True)
    ]
    show_table(_COLUMNS, rows, styles=[style for _, style in marks])
    say("\nReady." if works else "\nNot ready: see what is marked no.", style="bold")
    return works


_COLUMNS = (Column(""), Column("part"), Column("found", flows=True))


def _mark(ok: bool, needed: bool) -> tuple[str, str]:
    if ok:
        return "ok", "green"
    return ("no", "red") if needed else ("note", "yellow")


def _found(detail: str, fix: str) -> str:
    """What was found, and what to type about it."""
    return f"{detail}\ntry: {as_typed(fix)}" if fix else detail


def _security(as_json: bool) -> bool:
    from hammerstone.app.security import security_controls
    from hammerstone.app.security.control import ControlState
    from hammerstone.core.settings import load_settings

    controls = asyncio.run(security_controls(load_settings(), Path.cwd()))
    count = {state: sum(one.state is state for one in controls) for state in ControlState}
    holds = not count[ControlState.OFF]
    if as_json:
        print_json({"ok": holds, "controls": [control.to_json() for control in controls]})
        return holds
    colours = {ControlState.OK: "green", ControlState.WEAK: "yellow", ControlState.OFF: "red"}
    rows = [(str(one.state), one.name, _found(one.detail, one.fix)) for one in controls]
    show_table(_COLUMNS, rows, styles=[colours[one.state] for one in controls])
    say(f"\n{', '.join(f'{count[state]} {state}' for state in ControlState)}", style="bold")
    return holds
