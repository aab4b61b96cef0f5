"""The scoreboard as one page: numbers beside baselines and targets, and every failed case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources

from hammerstone.core.errors import HammerstoneError
from hammerstone.core.evaluations import (
    CaseMark,
    CaseOutcome,
    Chapter,
    MeasurementRecord,
    MeasurementState,
)
from hammerstone.evaluation.board.finding_runs import run_before
from hammerstone.evaluation.board.numbers.compare import (
    BoardComparison,
    ComparisonVerdict,
    MetricComparison,
    compare_runs,
)
from hammerstone.evaluation.board.page.page_notes import (
    cost_table,
    how_to_read,
    missed_targets,
    not_done,
    unmeasured,
)
from hammerstone.evaluation.board.page.page_parts import measurement_box, shown_cases
from hammerstone.evaluation.board.page.wording import QUESTIONS, amount, targets
from hammerstone.evaluation.board.scoreboard import EvaluationRecords, Scoreboard, read_scoreboard

_UNMEASURED = (MeasurementState.WAITING, MeasurementState.SKIPPED)
SHOWN = 100  # failed cases of a measurement on the page
TREND = 12  # runs in a metric's history
_BAD = (CaseMark.FAILED, CaseMark.FLAKY, CaseMark.GRADER_ERROR)


@dataclass(frozen=True, slots=True)
class BoardPage:
    """What the page is made of. `failed` and `history` are by measurement, and by metric."""

    board: Scoreboard
    since: BoardComparison | None = None
    failed: Mapping[str, Sequence[CaseOutcome]] = field(
        default_factory=dict[str, Sequence[CaseOutcome]]
    )
    history: Mapping[tuple[str, str], Sequence[float]] = field(
        default_factory=dict[tuple[str, str], Sequence[float]]
    )
    not_compared: str = ""


async def read_page(db: EvaluationRecords, run_id: str) -> BoardPage:
    """A run with its failed cases, what changed since the run before, and each metric's history."""
    board = await read_scoreboard(db, run_id)
    failed: dict[str, list[CaseOutcome]] = {}
    for record in board.records:
        some: list[CaseOutcome] = []
        async for outcome in db.evaluations.cases(run_id, record.measurement, _BAD):
            some.append(outcome)
            if len(some) >= SHOWN:
                break
        failed[record.measurement] = some
    before = await run_before(db, board.run)
    since, reason = None, ""
    if before is not None:
        try:
            since = await compare_runs(db, before, board.run)
        except HammerstoneError as error:
            reason = error.message
    return BoardPage(board, since, failed, await _history(db, board), reason)


async def _history(db: EvaluationRecords, board: Scoreboard) -> dict[tuple[str, str], list[float]]:
    runs = [
        run
        for run in await db.evaluations.recent()
        if run.chosen == board.run.chosen
        and run.versions.model == board.run.versions.model
        and run.started_at <= board.run.started_at
    ]
    found: dict[tuple[str, str], list[float]] = {}
    for run in reversed(runs[:TREND]):
        for record in await db.evaluations.records(run.id):
            for metric in record.metrics:
                if metric.value is not None:
                    found.setdefault((record.measurement, metric.name), []).append(metric.value)
    return found


def render_page(page: BoardPage) -> str:
    """The page as HTML that needs nothing else."""
    style = (
        resources.files("hammerstone.evaluation.board.page").joinpath("page.css").read_text("utf-8")
    )
    board = page.board
    parts = [_head(board), _cards(board), how_to_read(board), _since(page), missed_targets(board)]
    parts.append(not_done(board))
    parts += [_chapter(page, name, records) for name, records in board.chapters()]
    parts.append(cost_table(board))
    title = f"Scoreboard {board.run.id}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _head(board: Scoreboard) -> str:
    run, versions = board.run, board.run.versions
    code = f"{versions.revision} ({versions.code})" if versions.revision else versions.code
    when = run.started_at.strftime("%Y-%m-%d %H:%M UTC")
    facts = f"{run.chosen} set · {versions.model} · policies {versions.policies} · code {code}"
    told = targets(*board.targets, board.left_open)
    measured = sum(bool(one.metrics) for one in board.records)
    if measured < len(board.records):
        told += f" {measured} of {len(board.records)} measurements have numbers."
    broken = "" if run.finished_at else " This run has not come to its end."
    return (
        f"<h1>Scoreboard</h1><p>{told}{broken}</p>"
        f'<p class="soft">{escape(facts)}<br>{escape(when)} · {escape(run.machine)} · '
        f"evaluation {escape(run.id)}</p>"
    )


def _cards(board: Scoreboard) -> str:
    return f'<nav class="cards" aria-label="Chapters">{"".join(map(_card, board.chapters()))}</nav>'


def _card(chapter: tuple[Chapter, list[MeasurementRecord]]) -> str:
    name, records = chapter
    marks = [metric.reached for record in records for metric in record.metrics]
    of, met = sum(mark is not None for mark in marks), sum(mark is True for mark in marks)
    text = f"{met} of {of}" if of else ("measured" if marks else "not measured")
    missed = sum(metric.reached is False and not metric.left_open
                 for record in records for metric in record.metrics)  # fmt: skip
    kind = "bad" if missed else "good" if of else "soft"
    return (
        f'<a href="#{escape(name)}">{escape(name.capitalize())}<b class="{kind}">{text}</b>'
        f'<span class="soft">{"targets met" if of else "no targets"}</span></a>'
    )


def _since(page: BoardPage) -> str:
    if page.not_compared:
        return f'<h2>Since the last run</h2><p class="box">{escape(page.not_compared)}</p>'
    if page.since is None:
        return ""
    since = page.since
    parts = [f'<h2>Since the last run</h2><div class="box"><p class="soft">{_against(since)}</p>']
    for verdict, kind in ((ComparisonVerdict.BETTER, "good"), (ComparisonVerdict.WORSE, "bad")):
        lines = "".join(f"<li>{_change(row)}</li>" for row in since.of(verdict))
        word = escape(verdict.capitalize())
        shade = kind if lines else "soft"
        parts.append(f'<p class="{shade}">{word}: {"" if lines else "nothing"}</p>')
        parts.append(f"<ul>{lines}</ul>" if lines else "")
    lines = "".join(f"<li>{escape(title)}</li>" for title in since.broken)
    parts.append(f'<p class="bad">Broke, and did not before:</p><ul>{lines}</ul>' if lines else "")
    names = "".join(
        f"<li>{escape(one.measurement)}: <code>{escape(one.case)}</code> "
        f"{'passes now' if one.passes_now else 'fails now'}</li>"
        for one in since.changed
    )
    if names:
        count = len(since.changed)
        parts.append(f"<details><summary>{count} cases changed</summary><ul>{names}</ul></details>")
    return "".join(parts) + "</div>"


def _against(since: BoardComparison) -> str:
    first = since.first
    code = first.versions.revision or first.versions.code
    same, apart = (
        len(since.of(one)) for one in (ComparisonVerdict.SAME, ComparisonVerdict.UNPAIRED)
    )
    left = f" {apart} cannot be compared case by case." if apart else ""
    return escape(
        f"Beside evaluation {first.id} (code {code}, {first.versions.model}), on the same cases: "
        f"no difference shown for {same} of {len(since.rows)} numbers.{left}"
    )


def _change(row: MetricComparison) -> str:
    before, after = amount(row.first, row.unit), amount(row.second, row.unit)
    why = f"; {row.reason}" if row.reason else ""
    return escape(f"{row.title}, {row.metric}: {before} → {after} ({row.pairs} cases{why})")


def _chapter(page: BoardPage, name: Chapter, records: Sequence[MeasurementRecord]) -> str:
    boxes: list[str] = []
    for record in records:
        if record.state in _UNMEASURED:
            continue
        tally = page.board.tally(record)
        failed = shown_cases(page.failed.get(record.measurement, ()), tally)
        boxes.append(measurement_box(record, tally, failed, page.history))
    return (
        f'<h2 id="{escape(name)}">{escape(name.capitalize())}</h2>'
        f'<p class="soft">{escape(QUESTIONS[name])}</p>{"".join(boxes)}{unmeasured(records)}'
    )
