"""One measurement on the page: a line with its first number; the rest opens with one click."""

from collections.abc import Mapping, Sequence
from html import escape

from hammerstone.core.evaluations import CaseOutcome, CaseTally, MeasurementRecord, MetricValue
from hammerstone.core.formatting import count as counted
from hammerstone.evaluation.board.page.plots import history_line, metric_bar
from hammerstone.evaluation.board.page.wording import (
    STATES,
    amount,
    cases,
    duration,
    interval,
    mark,
    state,
)

LONGEST = 400  # characters of a text on the page
INTERVAL, BASELINE, TARGET, PAST = "95 % interval", "baseline", "target", "last runs"
_OF_CASE = ("asked", "given", "wanted", "why")
History = Mapping[tuple[str, str], Sequence[float]]


def measurement_box(
    record: MeasurementRecord, tally: CaseTally, failed: str, history: History
) -> str:
    """A measurement as a box that opens; its id is the measurement's name."""
    told = state(record)
    why = f'<p class="note">{escape(told)}</p>' if told else ""
    inside = f'<p class="soft">{escape(_facts(record, tally))}</p>{why}{_numbers(record, history)}'
    return (
        f'<details class="box" id="{escape(record.measurement)}">'
        f"<summary>{_line(record, tally)}</summary>{inside}{failed}</details>"
    )


def _line(record: MeasurementRecord, tally: CaseTally) -> str:
    """What stands there before it is opened: title, cases, and the first number that misses its
    target, or else the first."""
    count, word = cases(tally), STATES.get(record.state, "")
    soft = " · ".join(filter(None, (count, word)))
    title = f'<span class="title">{escape(record.title)} <span class="soft">{soft}</span></span>'
    if not record.metrics:
        return title
    metric = next((one for one in record.metrics if mark(one) == "✗"), record.metrics[0])
    value = f"{escape(amount(metric.value, metric.unit))} {_marks(record)}"
    name = f'<span class="soft">{escape(metric.name)}</span>'
    bar = metric_bar(metric)
    return f'{title}<span class="first">{name} <b>{value}</b></span><span class="plot">{bar}</span>'


def _marks(record: MeasurementRecord) -> str:
    """Whether the targets of a measurement are met: the worst mark of its numbers."""
    marks = {mark(metric) for metric in record.metrics}
    for sign, kind in (("✗", "bad"), ("~", "soft"), ("✓", "good")):
        if sign in marks:
            return f'<span class="{kind}">{sign}</span>'
    return ""


def _numbers(record: MeasurementRecord, history: History) -> str:
    if not record.metrics:
        return ""
    rows = "".join(
        _metric_row(metric, history.get((record.measurement, metric.name), ()))
        for metric in record.metrics
    )
    columns = (
        ("", "name"), ("value", "n"), (INTERVAL, "n"), ("", "plot"), (BASELINE, "n"),
        (TARGET, "n"), (PAST, "past"),
    )  # fmt: skip
    head = "".join(f'<th class="{kind}">{name}</th>' for name, kind in columns)
    return f'<div class="wide"><table class="numbers"><tr>{head}</tr>{rows}</table></div>'


def _facts(record: MeasurementRecord, tally: CaseTally) -> str:
    facts: list[str] = []
    if tally.counted:
        facts.append(f"{tally.passed:,} of {tally.counted:,} cases passed")
    if tally.flaky:
        facts.append(f"{tally.flaky} flaky")
    if tally.grader_errors:
        facts.append(f"{tally.grader_errors} could not be graded")
    facts.append(duration(record.seconds))
    if record.tokens:
        facts.append(f"{record.tokens:,} tokens")
    if record.data:
        facts.append(f"data {record.data}")
    if record.reused:
        facts.append("taken from an earlier run of the same versions")
    return " · ".join(facts)


def _metric_row(metric: MetricValue, past: Sequence[float]) -> str:
    kind = "" if metric.left_open else {True: "good", False: "bad", None: ""}[metric.reached]
    base = "" if metric.baseline is None else amount(metric.baseline, metric.unit)
    named = f' <span class="soft">{escape(metric.baseline_name)}</span>' if base else ""
    target = "" if metric.target is None else amount(metric.target, metric.unit)
    return (
        f'<tr><td>{escape(metric.name)}</td><td class="n {kind}"><b>'
        f"{escape(amount(metric.value, metric.unit))} {mark(metric)}</b></td>"
        f"{_cell(INTERVAL, escape(interval(metric)), 'n soft')}<td>{metric_bar(metric)}</td>"
        f"{_cell(BASELINE, escape(base) + named, 'n base-of')}"
        f"{_cell(TARGET, escape(target), 'n')}{_cell(PAST, history_line(past, metric.unit))}</tr>"
    )


def _cell(label: str, content: str, kind: str = "") -> str:
    """A cell that carries its column's name: on a phone the cells stand below each other."""
    return f'<td class="{kind}" data-label="{label}">{content}</td>' if content else "<td></td>"


def shown_cases(cases: Sequence[CaseOutcome], tally: CaseTally) -> str:
    """The cases that did not pass, as a list that opens."""
    if not cases:
        return ""
    whole = tally.failed + tally.flaky + tally.grader_errors
    more = f" (the first {len(cases)} are shown)" if whole > len(cases) else ""
    head = "".join(f"<th>{name}</th>" for name in ("case", *_OF_CASE))
    rows = "".join(map(_case_row, cases))
    return (
        f"<details><summary>{counted(whole, 'case')} did not pass{more}</summary>"
        f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div></details>'
    )


def _case_row(case: CaseOutcome) -> str:
    trace = f"<br>trace <code>{escape(case.trace_id[:12])}</code>" if case.trace_id else ""
    cells = (case.asked, case.given, case.wanted, ": ".join(filter(None, (case.mark, case.reason))))
    texts = "".join(
        _cell(label, escape(_cut(text)), "text")
        for label, text in zip(_OF_CASE, cells, strict=True)
    )
    return f"<tr><td><code>{escape(case.case)}</code>{trace}</td>{texts}</tr>"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"
