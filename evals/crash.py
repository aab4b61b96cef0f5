"""Processes killed at every named boundary and at random moments: nothing is lost or paid twice.

    python -m evals.crash [--set instant|quick|full] [--json]

In each round a new process asks, with a model that notes outside the process what is paid for;
it is killed (SIGKILL), and another one continues. Then the database must say of every run that it
ended, once, with the right answer. A run is lost if it has not ended, or ended wrong; a paid step
is repeated if the model was asked more often than in a whole run; an event is duplicated if a run
says more of a kind than a whole one. The outcomes of the sandbox are real ones, recorded before.
"""

import os
from collections.abc import AsyncGenerator
from statistics import median
from typing import Any

from evals.crash_others import others
from evals.crash_restarts import restarts
from evals.crash_rounds import PLACES, kills
from evals.crash_servers import servers
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Kills on all three, in batches: an evaluation that is broken off goes on at the next one."""
    counts = amount(context, instant=(1, 5, 10), quick=(1, 20, 20), full=(14, 25, -1))
    batches, moments, boundaries = counts
    todo = [(kind, batch) for kind in PLACES for batch in range(batches)]
    totals: dict[str, list[dict[str, Any]]] = {kind: [] for kind in PLACES}

    async def one(batch: tuple[str, int]) -> CaseOutcome:
        kind, number = batch
        first = boundaries if number == 0 else 0
        report = await own_process(kills, kind=kind, moments=moments, seed=number, boundaries=first)
        totals[kind].append(report)
        good = not (report["lost"] or report["events"] or report["beyond"])
        numbers = {name: float(value) for name, value in report.items()
                   if isinstance(value, int | float)}  # fmt: skip
        return case(f"{kind}: kills {number + 1}", good, numbers, reason=report["bad"])

    async for outcome in context.each(todo, lambda item: f"{item[0]}: kills {item[1] + 1}", one):
        yield outcome
    for kind, reports in totals.items():
        if reports:
            yield higher(f"kills, {kind}", sum(one["kills"] for one in reports), "count")
            yield lower(
                f"runs lost, {kind}", sum(one["lost"] for one in reports), "count", target=0
            )
            repeated = sum(one["repeated"] for one in reports)
            yield lower(f"paid steps repeated, {kind}", repeated, "count")
            beyond = sum(one["beyond"] for one in reports)
            yield lower(f"of them not in flight, {kind}", beyond, "count", target=0)
            events = sum(one["events"] for one in reports)
            yield lower(f"events duplicated, {kind}", events, "count", target=0)
            took = [one["took_s"] for one in reports if one["took_s"] is not None]
            yield lower(f"time to continue, {kind}", median(took) if took else None, "s")


async def other_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """A process that hangs, clocks that are set, a full disk, a sandbox and a model that are
    killed, a database that is restarted."""
    for name, came in (await own_process(others)).items():
        whole = (came.get("status"), came.get("result"), came.get("messages")) == ("done", 42, 2)
        if "skipped" not in came:
            yield case(name.replace("_", " "), whole, given=came)
    rounds = amount(context, instant=1, quick=3, full=10)
    asks = amount(context, instant=False, quick=True, full=True)
    model = os.environ.get("HAMMERSTONE_MODEL_PATH", "") if asks else ""
    killed = await own_process(servers, rounds=rounds, model_path=model)
    for number, came in enumerate(killed["sandbox"], 1):
        whole = (came["result"], came["proof"], came["left"]) == (42, ["proved"], [])
        yield case(f"kills of the sandbox {number}", whole and not came["errors"], given=came)
    if "model" in killed:
        yield case("a kill of the embedded model", killed["model"]["result"] == 42,
                   given=killed["model"])  # fmt: skip
    times, runs = amount(context, instant=(1, 5), quick=(3, 10), full=(20, 50))
    report = await own_process(restarts, times=times, runs=runs)
    yield case("restarts of PostgreSQL", not report["lost"], given=report)
    yield lower("runs lost in restarts", report["lost"], "count", target=0)
    yield lower("errors that people saw in restarts", report["errors"], "count")
    whole = report["paid_in_whole_runs"]
    yield lower("paid calls in restarts", report["paid"], "count", baseline=whole,
                baseline_name="without restarts")  # fmt: skip


if __name__ == "__main__":
    measured("crash", "crash_others")
