"""`hammerstone eval answers`: right answers, and whether "sure" is right."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json, tell

if TYPE_CHECKING:
    from hammerstone.core.answers import Answer, OnEvent
    from hammerstone.evaluation.answers.answer_rows import AnswerRow
    from hammerstone.evaluation.answers.answers import AnswerBaseline, RecordedRequest, ScoredAnswer

BEFORE = Path("evals/data/before_answers.jsonl")


def register(evals: typer.Typer) -> None:
    """Add the command to the group `eval`."""
    evals.command("answers")(answers)


def answers(
    data: Annotated[Path, typer.Option("--data", help="Requests with answers; check.py beside.")],
    bank: Annotated[
        Path | None, typer.Option("--bank", help="Recorded solutions (.json or .json.gz).")
    ] = None,
    live: Annotated[
        int, typer.Option("--live", min=0, help="Ask the product itself N of the requests.")
    ] = 0,
    prompts: Annotated[
        str, typer.Option("--prompts", help="The bank's prompts in sampling order.")
    ] = "D",
    fit: Annotated[
        Path | None,
        typer.Option("--fit", help="With --bank: fit a calibration to each prompt, write it here."),
    ] = None,
    before: Annotated[
        Path, typer.Option("--before", help="Values of an earlier version, to compare.")
    ] = BEFORE,
    report: Annotated[
        Path, typer.Option("--report", help="Folder for the plot and the score of each request.")
    ] = Path("reports/answers"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Choose answers from recorded solutions, or ask the product, and score them.

    Beside it, on the same rows: one plain prompt and the plain vote of eight. A request that the
    shipped calibration was fitted on is judged by a part of it fitted without that request.
    """
    from hammerstone.core.errors import BadRequest
    from hammerstone.evaluation.answers.answer_rows import read_before, read_rows
    from hammerstone.evaluation.answers.answers import (
        SimplerWay,
        baselines,
        best_of,
        right_of,
        score,
        summary,
    )
    from hammerstone.run.solve.answer_policy import AnswerPolicy

    if bank is None and not live:
        raise BadRequest("give --bank FILE, --live N, or both")
    rows, policy = read_rows(data), AnswerPolicy()
    order = prompts.split(",")
    if fit is not None and bank is not None:
        # Each prompt's solutions are a sample of their own, so that sureness holds for all.
        each = [asyncio.run(_recorded(rows, bank, [prompt])) for prompt in order]
        _fit([one for some in each for one in some], fit, f"{data.name} with {bank.name}")
        return
    recorded = asyncio.run(_recorded(rows, bank, order)) if bank else []
    ways = baselines(recorded)
    scored = asyncio.run(_live(rows, live)) if live else [score(one, policy) for one in recorded]
    numbers = summary(
        scored,
        policy,
        right_plain=best_of(ways, SimplerWay.GREEDY),
        right_vote8=best_of(ways, SimplerWay.VOTE),
        right_before=right_of(rows, read_before(before)),
    )
    _save(report, scored)
    if as_json:
        print_json(numbers)
    else:
        _print(numbers, ways, scored, report)


async def _recorded(
    rows: "list[AnswerRow]", bank: Path, order: list[str]
) -> "list[RecordedRequest]":
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.answers.answer_rows import read_bank
    from hammerstone.evaluation.answers.answers import record
    from hammerstone.sandbox import open_sandbox

    sandbox = await open_sandbox(load_settings())
    try:
        return await record(rows, read_bank(bank), order, sandbox)
    finally:
        await sandbox.close()


def _fit(recorded: "list[RecordedRequest]", path: Path, source: str) -> None:
    from hammerstone.evaluation.answers.answer_fit import fit_answers

    document = fit_answers([one.known() for one in recorded], source)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    tell(f"fitted on {len(recorded)} requests: {path}")


async def _live(rows: "list[AnswerRow]", count: int) -> "list[ScoredAnswer]":
    """Answers of a fresh engine without starter tools."""
    import tempfile

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.settings import load_settings
    from hammerstone.evaluation.answers.answers_live import ask_all, spread
    from hammerstone.evaluation.board.fresh import fresh_settings
    from hammerstone.run.request import AskOptions
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    settings = load_settings()
    ensure_files(settings)
    with tempfile.TemporaryDirectory(prefix="hammerstone-answers-") as folder:
        own = fresh_settings(settings, Path(folder), starter_tools=False)
        async with Hammerstone.open(own) as engine:

            async def ask(text: str, on_event: "OnEvent") -> "Answer":
                options = AskOptions(memory=False)
                return await engine.ask(text, on_event=on_event, options=options)

            return await ask_all(spread(rows, count), ask, _show)


def _show(row: "AnswerRow", one: "ScoredAnswer") -> None:
    mark = "ok" if one.right else "WRONG"
    first = "" if one.first_s is None else f"{one.first_s:6.1f} s"
    times = f"{first} {one.final_s or 0:6.1f} s {one.whole_s or 0:6.1f} s"
    tell(f"{row.id:28} {mark:5} {one.confidence:.2f} of {one.solutions} {times}")


def _save(folder: Path, scored: "list[ScoredAnswer]") -> None:
    from dataclasses import asdict

    from hammerstone.evaluation.bank.report import plot

    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(one)) for one in scored]
    (folder / "answers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        plot(scored, folder / "reliability.png", "answers")
    except ImportError:
        tell("no plot: matplotlib is not installed")


def _print(
    numbers: dict[str, Any],
    ways: "list[AnswerBaseline]",
    scored: "list[ScoredAnswer]",
    folder: Path,
) -> None:
    from rich.table import Table

    from hammerstone.evaluation.answers.answers import bins_of

    out = console()
    table = Table("way", "right")
    table.add_row("answers", f"{numbers['right']:.1%}")
    for one in ways:
        table.add_row(f"{one.way} ({one.prompt})", f"{one.right:.1%}")
    out.print(table)
    for name, value in numbers.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else value
        out.print(f"{name:16} {shown}", markup=False, highlight=False)
    bins = Table("confidence", "requests", "mean confidence", "right")
    for low, count, confidence, right in bins_of(scored):
        bins.add_row(
            f"{low:.1f} to {low + 0.1:.1f}", str(count), f"{confidence:.1%}", f"{right:.1%}"
        )
    out.print(bins)
    out.print(f"plot and scores: {folder}")
