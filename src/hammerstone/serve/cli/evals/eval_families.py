"""`hammerstone eval families`: whether later requests of a kind are answered by reuse."""

import asyncio
import json
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hammerstone.serve.cli.output import console, say, tell

if TYPE_CHECKING:
    from hammerstone.core.json_types import JsonObject
    from hammerstone.core.settings import Settings
    from hammerstone.evaluation.families.families import RequestOutcome

LIBRARIES = {"without": "without starter tools", "with": "with starter tools"}


def register(evals: typer.Typer) -> None:
    """Add the command to the group `eval`."""
    evals.command("families")(families)


def families(
    data: Annotated[Path, typer.Option("--data", help="Lines of {id, family, q, check, want}.")],
    count: Annotated[
        int, typer.Option("--families", min=0, help="First N families only; 0: all.")
    ] = 0,
    starter: Annotated[
        Literal["both", "without", "with"],
        typer.Option("--starter", help="Which library to begin with: its starter tools or none."),
    ] = "both",
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Keep libraries and results in this folder, and go on."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document a line.")
    ] = False,
) -> None:
    """Ask the first request of each family, prove its tool, then ask the others, mixed.

    Results are judged by `check.py` beside the data, which is run. Each library begins empty, or
    with the starter tools alone, in a folder of its own; models are shared with yours.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.board.fresh import fresh_settings
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    settings = load_settings()
    ensure_files(settings)
    kept = nullcontext(str(resume)) if resume else tempfile.TemporaryDirectory(prefix="families-")
    with kept as folder:
        for which in LIBRARIES if starter == "both" else (starter,):
            own = fresh_settings(settings, Path(folder) / which, starter_tools=which == "with")
            outcomes, numbers = asyncio.run(_run(own, data, count))
            if as_json:
                say(json.dumps(numbers))
            else:
                _print(LIBRARIES[which], outcomes, numbers)


async def _run(
    settings: "Settings", data: Path, count: int
) -> tuple["list[RequestOutcome]", "JsonObject"]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.evaluation.families.families import (
        family_numbers,
        family_progress,
        read_check,
        read_families,
        run_families,
    )

    wanted, is_right = read_families(data, count), read_check(data)
    progress = family_progress(settings.data_dir / "outcomes.jsonl")
    total = sum(map(len, wanted.values()))

    def show(outcome: "RequestOutcome") -> None:
        tell(f"{len(progress.done):4}/{total} {_line(outcome)}")

    async with Hammerstone.open(settings) as hs:
        outcomes = await run_families(hs, wanted, is_right, progress, show)
    return outcomes, family_numbers(outcomes)


def _line(outcome: "RequestOutcome") -> str:
    mark = "right" if outcome.right else "WRONG"
    how = "reused" if outcome.reused else "first" if outcome.first else "anew"
    return (
        f"{outcome.id:14} {mark} {how:6} {outcome.model_calls:3} calls {outcome.seconds:7.2f} s  "
        f"{outcome.tool or '-'}: {outcome.told[:60]}"
    )


def _print(name: str, outcomes: "list[RequestOutcome]", numbers: "JsonObject") -> None:
    from rich.table import Table

    table = Table("family", "first", "later right", "later reused", "calls", "s", title=name)
    for family in dict.fromkeys(one.family for one in outcomes):
        members = [one for one in outcomes if one.family == family]
        later = [one for one in members if not one.first]
        count = max(1, len(later))
        table.add_row(
            family,
            "right" if any(one.first and one.right for one in members) else "wrong",
            f"{sum(one.right for one in later)} of {len(later)}",
            f"{sum(one.reused for one in later)} of {len(later)}",
            f"{sum(one.model_calls for one in later) / count:.1f}",
            f"{sum(one.seconds for one in later) / count:.2f}",
        )
    out = console()
    out.print(table)
    for key, value in numbers.items():
        out.print(f"{key:12} {'-' if value is None else value}", markup=False)
