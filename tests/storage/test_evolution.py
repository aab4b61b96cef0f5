"""Evolution in both databases: rounds, attempts, scores, verdicts, samples, judges, notes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.errors import NotFound
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow, RoundRow, SuiteScoreRow
from hammerstone.storage.stores.learning.run_verdicts import JudgeCheckRow, SampleReview, VerdictRow
from hammerstone.storage.stores.learning.trace_judgements import ImprovementNote, TraceJudgementRow

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ROUND = RoundRow("r1", "math", "anna", "running", NOW)
VERDICT = VerdictRow(
    "r1", "math", "c1", "run", "s", "t", 0.25, "known answer", "another value", True, NOW, {"a": 1}
)
SAMPLE = SampleReview(0, "r1", "math", "c1", "run", "s", 0.9, False, NOW)
NOTE = ImprovementNote("tool", "mean", "it fails on an empty list", "record", "t", "s", NOW)
JUDGEMENT = TraceJudgementRow("t", "run", "s", {"task_completion": 1.0}, "fine", "record", {}, NOW)


async def test_a_round_is_kept_as_it_goes_on(db: Database):
    await db.evolution.start(ROUND)
    assert [row.id for row in await db.evolution.list(running=True)] == ["r1"]
    done = replace(ROUND, state="done", finished_at=NOW, average=0.5, account=("a", "b\x00"))
    await db.evolution.save(done)
    assert await db.evolution.get("r") == done
    assert await db.evolution.list("math") == [done]
    assert await db.evolution.list("other") == []
    assert await db.evolution.list(running=True) == []
    for missing in ("x", ""):
        with pytest.raises(NotFound):
            await db.evolution.get(missing)


async def test_attempts_keep_their_order(db: Database):
    await db.evolution.start(ROUND)
    first = AttemptRow("r1", "prompt", "reverted", ("no better",), NOW, before={"mean": 0.5})
    second = replace(first, track="skill", outcome="kept", proposal_id="p", after={"mean": 0.9})
    for each in (first, second):
        await db.evolution.add_attempt(each)
    assert await db.evolution.attempts("r1") == [first, second]
    assert await db.evolution.attempts() == [second, first]


async def test_scores_over_time_are_oldest_first(db: Database):
    rows = [
        SuiteScoreRow("math", "monitor", at / 10, 1.0, {"c1": at / 10}, NOW + timedelta(days=at))
        for at in range(4)
    ]
    for row in rows:
        await db.evolution.add_score(row)
    assert await db.evolution.scores("math") == rows
    assert await db.evolution.scores("math", limit=2) == rows[2:]
    assert await db.evolution.scored_suites() == ["math"]


async def test_verdicts_and_samples(db: Database):
    await db.verdicts.add([VERDICT, replace(VERDICT, run_id="run2", score=0.9, failed=False)])
    await db.verdicts.add([])
    assert (await db.verdicts.of_round("r1"))[0] == VERDICT
    asked = replace(VERDICT, run_id="run3", round_id="", suite="", score=0.9, failed=False)
    assert await db.verdicts.good_runs(0.8) == 0  # cases of suites are no examples
    await db.verdicts.add([asked])
    assert await db.verdicts.good_runs(0.8) == 1
    assert await db.verdicts.of_requests() == [asked]
    await db.verdicts.draw([SAMPLE, replace(SAMPLE, case="c2")])
    waiting = await db.verdicts.samples(waiting=True)
    assert [one.case for one in waiting] == ["c2", "c1"]
    seen = await db.verdicts.review(waiting[0].id, False, "anna", NOW)
    assert (seen.right, seen.person, seen.reviewed_at) == (False, "anna", NOW)
    assert [one.case for one in await db.verdicts.samples(waiting=True)] == ["c1"]
    with pytest.raises(NotFound):
        await db.verdicts.review(9999, True, "anna", NOW)


async def test_requests_that_nobody_has_judged(db: Database):
    for number, ended in enumerate((None, NOW, NOW, NOW + timedelta(hours=2))):
        await db.runs.start(f"u{number}", "s", "anna", "q", "t", NOW)
        if ended is not None:
            await db.runs.finish(f"u{number}", "done", None, ended)
    await db.verdicts.add([replace(VERDICT, run_id="u1", round_id="")])
    later = NOW + timedelta(hours=1)
    assert await db.verdicts.unjudged(NOW, later, 10) == ["u2"]
    assert await db.verdicts.unjudged(NOW, later, 0) == []
    assert await db.verdicts.unjudged(later, later, 10) == []
    assert await db.verdicts.unjudged(NOW, NOW + timedelta(hours=3), 10) == ["u2", "u3"]


async def test_a_trace_judged_again_has_new_notes(db: Database):
    await db.trace_judgements.put(JUDGEMENT, [NOTE, replace(NOTE, note="slow")])
    again = replace(JUDGEMENT, marks={"task_completion": 0.0}, judge="model")
    await db.trace_judgements.put(again, [NOTE])
    assert await db.trace_judgements.find("t") == again
    assert await db.trace_judgements.find("x") is None
    assert await db.trace_judgements.list() == [again]
    assert await db.trace_judgements.notes("mean", "tool") == [NOTE]
    assert await db.trace_judgements.notes("other") == []


async def test_the_last_check_of_a_judge(db: Database):
    first = JudgeCheckRow("runs", "m", {"share": 0.5}, NOW)
    await db.judge_checks.add(first)
    await db.judge_checks.add(replace(first, reliability={"share": 0.75}))
    found = await db.judge_checks.latest("runs", "m")
    assert found is not None and found.reliability == {"share": 0.75}
    assert await db.judge_checks.latest("runs", "other") is None


async def test_what_a_session_left_goes_with_it(db: Database):
    await db.verdicts.add([VERDICT])
    await db.verdicts.draw([SAMPLE])
    await db.trace_judgements.put(JUDGEMENT, [NOTE])
    await db.sessions.delete("s")
    assert await db.verdicts.of_round("r1") == []
    assert await db.verdicts.samples() == []
    assert await db.trace_judgements.notes() == []


async def test_a_round_is_broken_off_unless_it_has_ended(db: Database):
    running = RoundRow("r7", "times", "anna", "running", NOW)
    await db.evolution.start(running)
    ended = replace(running, state="broken", account=("It was broken off.",), finished_at=NOW)
    assert await db.evolution.break_off(ended)
    assert (await db.evolution.get("r7")).account == ("It was broken off.",)
    assert not await db.evolution.break_off(replace(ended, account=("Again.",)))
    assert (await db.evolution.get("r7")).account == ("It was broken off.",)
