"""`hammerstone metrics`: how learning goes, day by day."""

from typing import Annotated, Any

import typer

from hammerstone.core.formatting import decimal, percent
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

_SHARES = ("success", "cache_hit_rate", "composite_use", "retrieval_precision", "repair_success")


def metrics(
    days: Annotated[int, typer.Option(min=1, max=365, help="How many days.")] = 7,
    person: Annotated[
        str | None, typer.Option(help="Only this person's requests; without, everybody's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how learning goes: success, reuse, right tools, repairs, patterns and changes by day."""
    found: dict[str, Any] = with_engine(lambda hs: hs.learning_metrics.over_time(person, days))
    if as_json:
        print_json(found)
        return
    if not found["total"]["requests"]:
        tell("Nothing was asked in that time.")
    shown = [day for day in found["days"] if any(day[name] for name in found["about"])]
    columns = (
        Column("metric", flows=True),
        Column("all", right=True),
        *(
            Column(day["day"][5:], right=True, leaves=len(shown) - at)
            for at, day in enumerate(shown[-7:])
        ),
    )
    rows = [
        (
            name.replace("_", " "),
            *(_shown(name, one[name]) for one in (found["total"], *shown[-7:])),
        )
        for name in found["about"]
    ]
    show_table(columns, rows)
    say("")
    for name, about in found["about"].items():
        say(f"{name.replace('_', ' ')}: {about}", style="dim")


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return percent(value) if name in _SHARES else decimal(value)
