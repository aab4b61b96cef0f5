"""What stands around the numbers on the page: how to read it, and what it cost to measure."""

from collections.abc import Sequence
from html import escape

from hammerstone.core.evaluations import EvaluationRun, MeasurementRecord, MeasurementState
from hammerstone.evaluation.board.page.plots import share_bar
from hammerstone.evaluation.board.page.wording import amount, duration
from hammerstone.evaluation.board.scoreboard import Scoreboard


def cost_table(board: Scoreboard) -> str:
    """Seconds and tokens of each chapter, and of all."""
    costs = [(one.chapter.capitalize(), one.seconds, one.tokens) for one in board.costs()]
    most = max((seconds for _, seconds, _ in costs), default=0.0)
    rows = "".join(_cost_row(*cost, share_bar(cost[1], most)) for cost in costs)
    whole = _cost_row("All", sum(one[1] for one in costs), sum(one[2] for one in costs), "")
    head = '<tr><th></th><th class="n">time</th><th class="n">tokens</th><th></th></tr>'
    return (
        '<h2>What this evaluation cost</h2><div class="box wide">'
        f"<table>{head}{rows}{whole}</table></div>"
    )


def missed_targets(board: Scoreboard) -> str:
    """What a release should have reached and did not, each beside its target."""
    lines = "".join(
        f'<li><a href="#{escape(record.measurement)}">{escape(record.title)}</a>, '
        f'{escape(metric.name)}: <b class="bad">{escape(amount(metric.value, metric.unit))}</b>, '
        f"target {escape(amount(metric.target, metric.unit))}</li>"
        for record in board.records
        for metric in record.metrics
        if metric.reached is False and not metric.left_open
    )
    return f'<h2>Targets that are missed</h2><ul class="box">{lines}</ul>' if lines else ""


def not_done(board: Scoreboard) -> str:
    """What was measured in part or not at all, grouped by how far it came."""
    parts: list[str] = []
    for kind, told in _NOT_DONE:
        some = [one for one in board.not_done if one.state is kind]
        lines = "".join(f"<li><b>{escape(one.title)}</b>: {escape(one.why)}</li>" for one in some)
        if some:
            head = f"<summary>{len(some)} {told}</summary>"
            parts.append(f'<details class="box">{head}<ul>{lines}</ul></details>')
    return f"<h2>Not measured, or not to the end</h2>{''.join(parts)}" if parts else ""


def unmeasured(records: Sequence[MeasurementRecord]) -> str:
    """What of a chapter has no number, in one line; why is said at the top."""
    lines: list[str] = []
    for kind, told in (
        (MeasurementState.WAITING, "Not yet"),
        (MeasurementState.SKIPPED, "Not here"),
    ):
        titles = "; ".join(one.title for one in records if one.state is kind)
        if titles:
            lines.append(f'<p class="soft">{told}: {escape(titles)}.</p>')
    return "".join(lines)


_NOT_DONE = (
    (MeasurementState.FAILED, "broke"),
    (MeasurementState.PARTLY, "measured in part: a sample, or smaller amounts"),
    (MeasurementState.WAITING, "not yet measured, because the time was up"),
    (MeasurementState.SKIPPED, "cannot run here"),
)


def _cost_row(name: str, seconds: float, tokens: int, bar: str) -> str:
    return (
        f'<tr><td>{escape(name)}</td><td class="n" data-label="time">{duration(seconds)}</td>'
        f'<td class="n" data-label="tokens">{tokens:,}</td><td>{bar}</td></tr>'
    )


def how_to_read(board: Scoreboard) -> str:
    """What the marks mean, and the command that measures the same."""
    return (
        '<details class="box"><summary>How to read this page</summary><ul>'
        "<li>✓ the target is met; ✗ it is missed; ~ it is not met, but so few cases do not say "
        "that it is missed. A target is what a release has to reach.</li>"
        "<li>A bar is the value, the thin line on it its 95 % interval, the brown mark the "
        "baseline (a simpler way on the same cases, or what others published), the dashed line "
        "the target.</li>"
        "<li>The instant set uses recorded answers only, the quick one asks the model a few "
        "requests of each kind, the full one everything. Few cases have wide intervals.</li>"
        "<li>A line opens: all numbers of that measurement, and its cases that did not pass.</li>"
        f"<li>Measured by <code>{escape(command_of(board.run))}</code>{_bounded(board)}; what each "
        "measurement does is in docs/scoreboard.md.</li></ul></details>"
    )


def _bounded(board: Scoreboard) -> str:
    if not any(one.state.cut for one in board.records):
        return ""
    return " with a bound on its time (<code>--minutes N</code>): the same command goes on"


def command_of(run: EvaluationRun) -> str:
    """The command that measures the same again."""
    words = ["hammerstone eval", f"--set {run.chosen}"]
    for option, key in (("--chapter", "chapters"), ("--only", "names")):
        given = run.options.get(key)
        words += [f"{option} {name}" for name in given] if isinstance(given, list) else []
    if run.options.get("repeat", 1) != 1:
        words.append(f"--repeat {run.options['repeat']}")
    return " ".join(words)
