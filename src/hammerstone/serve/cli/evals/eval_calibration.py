"""`hammerstone eval calibration`: the confidence of your own tools beside what they turned out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import console, print_json, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from rich.table import Table

    from hammerstone.app.books.outcomebook import CalibrationReport, ReliabilityCurve
    from hammerstone.synthesis.examine.belief.own_calibration import OwnCalibration

_BAR = 20


def register(evals: typer.Typer) -> None:
    """Add the command to the group `eval`."""
    evals.command("calibration")(calibration)


def calibration(
    report: Annotated[Path, typer.Option("--report", help="Folder for the plot.")] = Path(
        "reports/calibration"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show how far the confidence of the tools in your library can be believed.

    A tool turned out right where you confirmed a result, where an independent solution agreed, or
    a little where many uses drew no complaint; wrong where you named another result, or it had to
    be repaired. The same evidence adjusts the confidence of tools to come.
    """
    found = with_engine(lambda hs: hs.outcomes.report())
    plotted = _plot(found, report)
    if as_json:
        print_json(found.to_json())
        return
    out = console()
    out.print(found.curve.in_words(), markup=False)
    if found.curve.bins:
        out.print(_table(found.curve))
    if len(found.by_model) > 1:
        for name, curve in found.by_model.items():
            out.print(f"{name}: {curve.in_words()}", markup=False)
    for each in found.adjustments:
        out.print(_in_words(each, in_use=each.model == found.model), markup=False)
    if plotted:
        out.print(f"plot: {plotted}", markup=False)


def _table(curve: "ReliabilityCurve") -> "Table":
    from rich.table import Table

    table = Table("confidence", "right", "wrong", "unknown", "mean confidence", "turned out right")
    for one in curve.bins:
        share = "-" if one.share is None else f"{_bar(one.share)} {one.share:4.0%}"
        sure = "-" if one.confidence is None else f"{one.confidence:.0%}"
        table.add_row(
            f"{one.low:.1f} to {one.high:.1f}",
            str(one.right),
            str(one.wrong),
            str(one.unknown),
            sure,
            share,
        )
    return table


def _bar(share: float) -> str:
    full = round(share * _BAR)
    return "█" * full + "░" * (_BAR - full)


def _in_words(each: "OwnCalibration", *, in_use: bool) -> str:
    who = f"{each.model} (in use)" if in_use else each.model
    if not each.cautious:
        start = "the calibration was fitted for it"
    else:
        start = f"the calibration was fitted for {each.fitted_for}, so it starts cautious"
    told = ", ".join(f"{p:.0%} counts as {each.adjusted(p):.0%}" for p in (0.5, 0.8, 0.95))
    learned = f"{each.judged} tools judged" if each.judged else "no tool judged yet"
    return f"{who}: {start}; {learned}. {told}."


def _plot(found: "CalibrationReport", folder: Path) -> Path | None:
    """The reliability diagram of the tools of which something is known; None without any."""
    from hammerstone.evaluation.bank.report import plot

    known = [one for one in found.outcomes if one.known]
    if not known:
        return None
    try:
        plot(known, folder / "reliability.png", "tools of this library")
    except ImportError:
        tell("no plot: matplotlib is not installed")
        return None
    except OSError as error:
        tell(f"no plot: {error.strerror or error}")
        return None
    return folder / "reliability.png"
