"""`hammerstone stats`: what was asked, how fast it was answered, and what it cost."""

from collections import defaultdict
from typing import Annotated, Any

import typer

from hammerstone.core.formatting import count, decimal, duration, listing, money
from hammerstone.serve.cli.output import print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

_MOST_TOOLS = 5
_CACHES = {
    "request": "{hits} of {all} requests had been answered before, word for word.",
    "execution": "{hits} of {all} tool calls had a stored result.",
    "model": "{hits} of {all} model calls had a stored reply.",
}

Rows = list[dict[str, Any]]


def stats(
    days: Annotated[float, typer.Option(min=0.01, help="How far back to look.")] = 7.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every metric by its name, as JSON.")
    ] = False,
) -> None:
    """Show what was asked, how long it took, how often nothing had to be done, and the price."""
    found = with_engine(lambda hs: hs.stats(days))
    if as_json:
        print_json(found)
        return
    lines = sentences(found)
    if not lines:
        tell(f"Nothing was asked in the last {count(days, 'day')}.")
        return
    tell(f"The last {count(days, 'day')}:", style="bold")
    for line in lines:
        say(line)


def sentences(found: dict[str, Any]) -> list[str]:
    """The metrics as a person would tell them, what was asked first."""

    def rows(name: str) -> Rows:
        return [row for row in found.get(f"hammerstone_{name}") or [] if isinstance(row, dict)]

    lines = _requests(rows("requests_total"), rows("request_seconds"))
    lines += _caches(rows("cache_hits_total"), rows("cache_misses_total"))
    lines += _tools(rows("tool_calls_total"))
    lines += _models(rows("model_calls_total"), rows("model_tokens_total"), rows("model_seconds"))
    usd = sum(row["value"] for row in rows("model_price_usd_total"))
    lines += [f"Models cost {money(usd)} in all."] if usd else []
    runs, failed = _well_and_failed(rows("sandbox_runs_total"))
    if runs + failed:
        told = f"The sandbox ran {count(runs + failed, 'program')}"
        lines.append(
            f"{told}; {decimal(failed)} of them ended with an error." if failed else f"{told}."
        )
    return lines


def _requests(totals: Rows, seconds: Rows) -> list[str]:
    asked = [row for row in totals if row["labels"].get("name") == "ask"]
    well, failed = _well_and_failed(asked)
    if not well + failed:
        return []
    told = f"{count(well + failed, 'request')}"
    lines = [f"{told}, {decimal(failed)} of them without an answer." if failed else f"{told}."]
    took = next((row for row in seconds if row["labels"].get("name") == "ask"), {})
    if took.get("p50") is not None:
        slow = f", 19 of 20 within {duration(took['p95'])}" if took.get("p95") else ""
        lines.append(f"Half of them were answered within {duration(took['p50'])}{slow}.")
    return lines


def _caches(hits: Rows, misses: Rows) -> list[str]:
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for place, rows in enumerate((hits, misses)):
        for row in rows:
            found[row["labels"].get("cache", "")][place] += row["value"]
    return [
        text.format(hits=decimal(found[name][0]), all=decimal(sum(found[name])))
        for name, text in _CACHES.items()
        if name in found and found[name][0]
    ]


def _tools(totals: Rows) -> list[str]:
    calls: dict[str, float] = defaultdict(float)
    for row in totals:
        calls[row["labels"].get("tool", "")] += row["value"]
    if not calls:
        return []
    most = sorted(calls, key=lambda name: (-calls[name], name))[:_MOST_TOOLS]
    named = [f"{name} ({decimal(calls[name])})" for name in most]
    used = f"{count(len(calls), 'tool')} ran {count(sum(calls.values()), 'time')}"
    return [f"{used}, most often {listing(named)}." if len(calls) > 1 else f"{used}: {most[0]}."]


def _models(calls: Rows, tokens: Rows, seconds: Rows) -> list[str]:
    lines: list[str] = []
    for model in sorted({row["labels"].get("model", "") for row in calls}):
        well, failed = _well_and_failed([r for r in calls if r["labels"].get("model") == model])
        read, written = (
            sum(
                row["value"]
                for row in tokens
                if row["labels"].get("model") == model and row["labels"].get("type") == kind
            )
            for kind in ("input", "output")
        )
        line = f"The model {model} was asked {count(well + failed, 'time')}"
        line += f" ({decimal(failed)} failed)" if failed else ""
        if read or written:
            line += f"; it read {count(read, 'token')} and wrote {count(written, 'token')}"
        took = next((row for row in seconds if row["labels"].get("model") == model), {})
        if took.get("p50") is not None:
            line += f"; half of its replies came within {duration(took['p50'])}"
        lines.append(f"{line}.")
    return lines


def _well_and_failed(rows: Rows) -> tuple[float, float]:
    well = sum(row["value"] for row in rows if row["labels"].get("status") == "success")
    return well, sum(row["value"] for row in rows) - well
