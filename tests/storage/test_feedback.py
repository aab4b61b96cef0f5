"""Feedback in both databases: appended, counted, found by words, gone with its session."""

from dataclasses import replace
from datetime import UTC, datetime

from hammerstone.core.feedback import Feedback, FeedbackKind, JudgedUse, UseVerdict
from hammerstone.storage import Database

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
USED = Feedback(
    FeedbackKind.USED, "r1", "s", "ada", NOW, "total", "v1", "add it up", "key", {"a": [1]}
)


async def test_events_come_back_as_they_were_and_only_words_change_the_number(db: Database):
    said = replace(USED, kind=FeedbackKind.CORRECTED, value=[None, 8], reliability=1.0)
    before = (await db.revisions.take("s")).feedback
    await db.feedback.append([USED])
    assert (await db.revisions.take("s")).feedback == before
    await db.feedback.append([said])
    assert (await db.revisions.take("s")).feedback == before + 1
    assert await db.feedback.of_run("r1") == [USED, said]
    assert await db.feedback.said("ada") == [said]
    assert await db.feedback.said("grace") == []
    assert await db.feedback.last_run("ada") == "r1"
    assert await db.feedback.last_run("ada", "other") is None
    assert await db.feedback.recent("ada", 1) == [said]


async def test_a_verdict_counts_once_and_moves_when_it_changes(db: Database):
    use = JudgedUse("r1", "s", "ada", "total", "v1", UseVerdict.GOOD, NOW)
    assert await db.feedback.judge(use) is UseVerdict.NEUTRAL
    assert await db.feedback.judge(use) is None
    assert (await db.executions.uses())["total"] == (0, 1, 0)
    wrong = replace(use, verdict=UseVerdict.WRONG)
    assert await db.feedback.judge(wrong) is UseVerdict.GOOD
    assert (await db.executions.uses())["total"] == (0, 0, 1)
    await db.feedback.judge(replace(use, run_id="r2", session_id="t"))
    tally = await db.feedback.tally("v1")
    assert (tally.good, tally.sessions, tally.wrong, tally.people) == (1, 1, 1, 1)


async def test_a_deleted_session_takes_its_feedback_with_it(db: Database):
    await db.sessions.create("ada", "s")
    await db.feedback.append([USED])
    await db.feedback.judge(JudgedUse("r1", "s", "ada", "total", "v1", UseVerdict.GOOD, NOW))
    await db.sessions.delete("s")
    assert await db.feedback.of_run("r1") == []
    assert (await db.feedback.tally("v1")).good == 0


async def test_what_a_person_said_in_a_session_is_theirs_and_of_that_session(db: Database):
    def said(kind: FeedbackKind, run: str, session: str = "s1", user: str = "ada") -> Feedback:
        return Feedback(kind, run, session, user, NOW, tool="double", value=8)

    await db.feedback.append(
        [
            said(FeedbackKind.USED, "r1"),
            said(FeedbackKind.REFUSED, "r1"),
            said(FeedbackKind.CONFIRMED, "r1"),
            said(FeedbackKind.CORRECTED, "r2", session="s2"),
            said(FeedbackKind.CORRECTED, "r3", user="bob"),
        ]
    )
    found = await db.feedback.said_in("s1", "ada")
    assert [(one.run_id, one.kind) for one in found] == [
        ("r1", FeedbackKind.REFUSED),
        ("r1", FeedbackKind.CONFIRMED),
    ]
