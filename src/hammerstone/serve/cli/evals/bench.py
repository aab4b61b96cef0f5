"""`hammerstone bench`: what things cost on this machine."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject

app = typer.Typer(help="Measure what things cost here.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure what things cost here."""


@app.command()
def sandbox(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds; medians are taken over them.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """A sandboxed call beside a bare Python start, a fork, pytest and a container call.

    Everything is measured in turns within each round, with every limit on, so that a busy
    machine slows all of it alike; read the ratios.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.sandbox.bench import SandboxBench

    result = asyncio.run(SandboxBench(load_settings(), rounds).run())
    if as_json:
        print_json(result)
    else:
        _show(result)


def _show(result: "JsonObject") -> None:
    from rich.table import Table

    table = Table("", "p50 ms", "p95 ms", "n", box=None)
    for name, measured in result.items():
        if isinstance(measured, dict) and "p50_ms" in measured:
            numbers = (str(measured[key]) for key in ("p50_ms", "p95_ms", "n"))
            table.add_row(name, *numbers)
    out = console()
    out.print(f"{result['backend']}, {result['slots']} slots on {result['cores']} cores")
    out.print(table)
    speeds: Any = result["calls_per_s"]
    for clients, speed in speeds.items():
        out.print(f"{clients} clients: {speed} calls/s")
    ratios: Any = result["ratios"]
    for name, ratio in ratios.items():
        out.print(f"{name.replace('_', ' ')}: {ratio}")
    reasons: Any = result["reasons"]
    for name, reason in reasons.items():
        out.print(f"{name} was not measured: {reason}", style="dim", markup=False)
