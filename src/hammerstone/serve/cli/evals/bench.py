"""`hammerstone bench`: what things cost on this machine."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, decimal, duration
from hammerstone.serve.cli.output import print_json, say
from hammerstone.serve.cli.tables import Column, show_table

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
    measured: Any = {name: value for name, value in result.items() if _is_time(value)}
    say(f"Sandbox {result['backend']}: {result['slots']} at a time on {result['cores']} cores.")
    columns = (
        Column("what"),
        Column("half within", right=True),
        Column("19 of 20 within", right=True),
        Column("measured", right=True),
    )
    show_table(columns, [_cells(name, each) for name, each in measured.items()])
    speeds: Any = result["calls_per_s"]
    for clients, speed in speeds.items():
        many = count(int(clients), "client at once", "clients at once")
        say(f"{many}: {count(speed, 'call')} a second")
    ratios: Any = result["ratios"]
    for name, ratio in ratios.items():
        say(f"{_words(name)}: {decimal(ratio)}")
    reasons: Any = result["reasons"]
    for name, reason in reasons.items():
        say(f"{_words(name)} was not measured: {reason}", style="dim")


def _is_time(value: Any) -> bool:
    return isinstance(value, dict) and "p50_ms" in value


def _cells(name: str, measured: dict[str, Any]) -> tuple[str, ...]:
    half, most = (duration(measured[key] / 1000) for key in ("p50_ms", "p95_ms"))
    return _words(name), half, most, count(measured["n"], "time")


def _words(name: str) -> str:
    return name.replace("_", " ")
