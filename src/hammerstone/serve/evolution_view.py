"""Evolution as documents: the same for the terminal, the page and programs."""

from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.json_types import Json
from hammerstone.learn.evolution.judges.signals import JudgedRun
from hammerstone.learn.evolution.monitoring import MonitorDecision
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow, RoundRow, SuiteScoreRow
from hammerstone.storage.stores.learning.run_verdicts import SampleReview, VerdictRow


def round_json(row: RoundRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "suite": row.suite,
        "who": row.who,
        "state": row.state,
        "average": row.average,
        "signals": row.signals,
        "recommendation": row.recommendation,
        "account": list(row.account),
        "cost": row.cost,
        "started_at": row.started_at.isoformat(),
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
    }


def attempt_json(row: AttemptRow) -> dict[str, Any]:
    return {
        "round": row.round_id,
        "track": row.track,
        "outcome": row.outcome,
        "account": list(row.account),
        "proposal": row.proposal_id,
        "before": row.before,
        "after": row.after,
        "gain": _gain(row),
        "cost": row.cost,
        "change": row.change,
        "at": row.at.isoformat(),
    }


def _gain(row: AttemptRow) -> float | None:
    """By how much the hidden cases got better; None where they were not looked at."""
    before, after = (row.before or {}).get("mean"), (row.after or {}).get("mean")
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return None
    return round(after - before, 4)


def verdict_json(row: VerdictRow) -> dict[str, Any]:
    return {
        "case": row.case,
        "run_id": row.run_id,
        "trace_id": row.trace_id,
        "score": row.score,
        "source": row.source,
        "why": row.why,
        "failed": row.failed,
        "finding": row.finding,
        "at": row.at.isoformat(),
    }


def score_json(row: SuiteScoreRow) -> dict[str, Any]:
    return {
        "suite": row.suite,
        "why": row.why,
        "average": row.average,
        "answered": row.answered,
        "cases": len(row.cases),
        "at": row.at.isoformat(),
    }


def decision_json(suite: str, decision: MonitorDecision) -> dict[str, Any]:
    """What a look at a suite came to; `change` is the one by which it lost."""
    return {
        "suite": suite,
        "finding": str(decision.finding),
        "why": decision.why,
        "average": decision.average,
        "change": decision.change.proposal if decision.change else "",
        "followed": decision.followed,
    }


def judged_json(run: JudgedRun) -> dict[str, Any]:
    finding = run.finding.to_json() if run.finding else None
    return {"run_id": run.facts.run_id, "score": run.score, "finding": finding}


async def sample_json(hs: Hammerstone, row: SampleReview) -> dict[str, Any]:
    """A drawn run with what was asked and what was answered, as far as that is still kept."""
    asked, wanted = _asked(hs, row)
    verdict = await _verdict(hs, row)
    return {
        "id": row.id,
        "round": row.round_id,
        "suite": row.suite,
        "case": row.case,
        "run_id": row.run_id,
        "score": row.judged,
        "failed": row.failed,
        "right": row.right,
        "person": row.person,
        "at": row.at.isoformat(),
        "asked": asked,
        "wanted": wanted,
        "given": await _given(hs, verdict),
        "why": verdict.why if verdict else "",
    }


def _asked(hs: Hammerstone, row: SampleReview) -> tuple[str, list[Json]]:
    """The case's request and what its graders want; both empty where the case is gone."""
    from hammerstone.core.errors import HammerstoneError
    from hammerstone.evaluation.suites.shelf import SuiteShelf

    try:
        cases = SuiteShelf(hs.settings).get(row.suite).cases()
    except HammerstoneError:
        return "", []
    for case in cases:
        if case.id == row.case:
            return case.request, [spec.expect for spec in case.graders]
    return "", []


async def _verdict(hs: Hammerstone, row: SampleReview) -> VerdictRow | None:
    """What the judge said; None where that is gone."""
    from hammerstone.core.errors import NotFound

    try:
        _, _, verdicts = await hs.evolution.round(row.round_id)
    except NotFound:
        return None
    return next((one for one in verdicts if one.run_id == row.run_id), None)


async def _given(hs: Hammerstone, verdict: VerdictRow | None) -> str | None:
    """The answer that the judge saw, empty where there was none; None where its trace is gone."""
    from hammerstone.core.errors import NotFound

    try:
        trace, _ = await hs.traces.get(verdict.trace_id if verdict else "")
    except NotFound:
        return None
    output = trace.final_output if isinstance(trace.final_output, dict) else {}
    given = output.get("text") or output.get("result")
    return "" if given is None else str(given)


async def round_document(hs: Hammerstone, id: str) -> dict[str, Any]:
    """A round, what was tried in it, and what the judges said about each case."""
    row, attempts, verdicts = await hs.evolution.round(id)
    return {
        **round_json(row),
        "attempts": [attempt_json(one) for one in attempts],
        "verdicts": [verdict_json(one) for one in verdicts],
    }


async def status_document(hs: Hammerstone) -> dict[str, Any]:
    return dict(await hs.evolution.status())
