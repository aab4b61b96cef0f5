"""The scoreboard on a terminal of 80 columns."""

from typing import TYPE_CHECKING

from hammerstone.serve.cli.output import console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hammerstone.core.evaluations import CaseTally, MeasurementRecord
    from hammerstone.evaluation.board.numbers.ablation import AblationRow
    from hammerstone.evaluation.board.numbers.compare import BoardComparison
    from hammerstone.evaluation.board.scoreboard import Scoreboard

WIDTH = 80


def print_scoreboard(board: "Scoreboard") -> None:
    """Every metric beside its baseline and target, then what could not be measured, and why."""
    from hammerstone.evaluation.board.page.wording import duration, state, targets

    out = _out()
    run = board.run
    code = run.versions.revision or run.versions.code
    head = f"Evaluation {run.id} · {run.chosen} set · {run.versions.model} · code {code}"
    out.print(head, markup=False, style="bold")
    out.print(_table(board))
    for record in board.not_done:
        out.print(f"{record.title}. {state(record)}", markup=False, style="yellow")
    met, of = board.targets
    seconds = sum(one.seconds for one in board.records)
    tokens = sum(one.tokens for one in board.records)
    told = f"{targets(met, of, board.left_open)} " if of else ""
    out.print(f"{told}Measured in {duration(seconds)} with {tokens:,} tokens.", markup=False)


def _table(board: "Scoreboard") -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), width=WIDTH)
    table.add_column("", ratio=1, overflow="fold")
    for name in ("value", "95 %", "baseline", "target", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for chapter, records in board.chapters():
        table.add_row(f"[bold]{chapter.capitalize()}[/bold]")
        for record in records:
            if record.metrics:
                _add(table, record, board.tally(record))
        table.add_section()
    return table


def _add(table: "Table", record: "MeasurementRecord", tally: "CaseTally") -> None:
    from rich.text import Text

    from hammerstone.evaluation.board.page.wording import amount, cases, interval, mark

    count = f" ({told})" if (told := cases(tally)) else ""
    table.add_row(Text(f" {record.title}{count}"))
    for metric in record.metrics:
        table.add_row(
            Text(f"   {metric.name}"),
            amount(metric.value, metric.unit),
            interval(metric),
            "" if metric.baseline is None else amount(metric.baseline, metric.unit),
            "" if metric.target is None else amount(metric.target, metric.unit),
            mark(metric),
        )


def print_changes(since: "BoardComparison") -> None:
    """What got better and worse since the run before, in a few lines."""
    from hammerstone.evaluation.board.numbers.compare import ComparisonVerdict
    from hammerstone.evaluation.board.page.wording import amount

    out = _out()
    same = len(since.of(ComparisonVerdict.SAME))
    out.print(f"Since {since.first.id}: no difference shown for {same} numbers.", markup=False)
    for verdict, style in ((ComparisonVerdict.BETTER, "green"), (ComparisonVerdict.WORSE, "red")):
        for row in since.of(verdict):
            change = f"{amount(row.first, row.unit)} → {amount(row.second, row.unit)}"
            why = f" ({row.reason})" if row.reason else ""
            text = f"  {verdict}: {row.title}, {row.metric}: {change}{why}"
            out.print(text, markup=False, style=style)
    _print_broken(since, out)


def _print_broken(comparison: "BoardComparison", out: "Console") -> None:
    for title in comparison.broken:
        out.print(f"  worse: {title} broke, and did not before", markup=False, style="red")


def print_comparison(comparison: "BoardComparison") -> None:
    """Every metric of two runs, with the interval of the difference and a verdict."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from hammerstone.evaluation.board.page.wording import amount, difference

    out = _out()
    for word, run in (("First: ", comparison.first), ("Second:", comparison.second)):
        code = run.versions.revision or run.versions.code
        text = f"{word} {run.id}, code {code}, policies {run.versions.policies}"
        out.print(text, markup=False)
        out.print(f"        {run.versions.model}", markup=False, style="dim")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), width=WIDTH)
    table.add_column("", ratio=1, overflow="fold")
    for name in ("first", "second", "difference (95 %)"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold", max_width=14)
    for row in comparison.rows:
        styles = {"better": "green", "worse": "red"}
        table.add_row(
            Text(f"{row.title}: {row.metric}"),
            amount(row.first, row.unit),
            amount(row.second, row.unit),
            difference(row.difference, row.low, row.high, row.unit),
            Text(str(row.verdict), style=styles.get(str(row.verdict), "dim")),
        )
    out.print(table)
    for one in comparison.changed[:10]:
        now = "passes now" if one.passes_now else "fails now"
        out.print(f"  {one.measurement} {one.case}: {now}", markup=False)
    more = len(comparison.changed) - 10
    if more > 0:
        out.print(f"  and {more} more changed cases (--json lists them)", markup=False)
    _print_broken(comparison, out)
    if comparison.missing:
        names = ", ".join(comparison.missing)
        out.print(f"Measured in one of them only: {names}", markup=False)


def print_ablation(rows: "list[AblationRow]") -> None:
    """One row a mechanism: the number with it, without it, and the difference."""
    from rich import box
    from rich.table import Table

    from hammerstone.evaluation.board.page.wording import amount, difference

    out = _out()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), width=WIDTH)
    table.add_column("mechanism", ratio=1, min_width=17)
    for name in ("on", "off", "difference (95 %)"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold", max_width=14)
    for row in rows:
        one = row.ablation
        table.add_row(
            f"[bold]{one.mechanism}[/bold]\n[dim]{one.metric}[/dim]",
            amount(row.on, one.unit),
            amount(row.without, one.unit),
            difference(row.difference, row.low, row.high, one.unit),
            row.verdict,
        )
    out.print(table)
    for off in dict.fromkeys(
        f"Without {row.ablation.mechanism}: {row.ablation.off}." for row in rows
    ):
        out.print(off, markup=False)
    for row in rows:
        if row.why:
            text = f"Not measured: {row.ablation.mechanism}: {row.why}"
            out.print(text, markup=False, style="yellow")


def _out() -> "Console":
    out = console()
    out.width = min(out.width, WIDTH) if out.is_terminal else WIDTH
    return out
