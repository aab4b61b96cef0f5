"""Decisions, labels and studies on both databases."""

from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.decisions import LabelQuestion, PersonLabel, SearchDecision, ToolCandidate
from hammerstone.core.errors import NotFound
from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.studies import RUNNING, Study, StudyTrial
from tests.storage.samples import ODD_TEXT

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def decision(number: int, user: str = "ada", session: str = "s") -> SearchDecision:
    return SearchDecision(
        id=f"r{number}-0",
        run_id=f"r{number}",
        session_id=session,
        user=user,
        at=NOW + timedelta(minutes=number),
        request=f"{ODD_TEXT} {number}",
        chosen="median",
        band="high",
        probability=0.9,
        candidates=(
            ToolCandidate("median", 0.9, None, 0.5, success=0.8, frequency=0.1),
            ToolCandidate(ODD_TEXT, 0.7, 0.25, 0.4, 0.1, 0.2),
        ),
        weights={"meaning_weight": 1.0, "words_weight": 0.7},
    )


async def test_decisions_come_back_as_they_were_oldest_first(db: Database) -> None:
    new = [decision(number, user) for number, user in enumerate(("ada", "bob", "ada"))]
    await db.decisions.append(new)
    await db.decisions.append([])
    assert await db.decisions.list() == new
    assert await db.decisions.list(user="ada", limit=1) == [new[2]]
    assert await db.decisions.list(until=new[0].at) == [new[0]]
    assert await db.decisions.get("r1-0") == new[1]
    assert await db.decisions.count_since(None) == 3
    assert await db.decisions.count_since(new[0].at) == 2
    with pytest.raises(NotFound):
        await db.decisions.get("r9-0")


async def test_a_persons_last_word_about_a_decision_stays(db: Database) -> None:
    await db.decisions.append([decision(0)])
    said = [
        PersonLabel("r0-0", LabelQuestion.TOOL, "ada", False, NOW, ODD_TEXT, "s"),
        PersonLabel("r0-0", LabelQuestion.TOOL, "ada", True, NOW + timedelta(minutes=1), "", "s"),
        PersonLabel("r0-0", LabelQuestion.ANSWER, "ada", False, NOW, "", "s"),
    ]
    for label in said:
        await db.decisions.label(label)
    assert await db.decisions.labels() == said[1:]


async def test_decisions_and_labels_go_with_their_session_and_with_time(db: Database) -> None:
    for session in ("s", "other"):
        await db.sessions.create("ada", session)
    await db.decisions.append([decision(0), decision(1, session="other"), decision(2)])
    for number, session in ((0, "s"), (1, "other")):
        await db.decisions.label(
            PersonLabel(f"r{number}-0", LabelQuestion.TOOL, "ada", True, NOW, "", session)
        )
    await db.sessions.delete("s")
    assert [one.id for one in await db.decisions.list()] == ["r1-0"]
    assert [one.decision for one in await db.decisions.labels()] == ["r1-0"]
    assert await db.decisions.purge(NOW + timedelta(hours=1)) == 1
    assert await db.decisions.labels() == []


async def test_the_events_of_many_runs_are_read_together(db: Database) -> None:
    events = [
        Feedback(FeedbackKind.USED, f"r{number}", "s", "ada", NOW, "t") for number in range(1200)
    ]
    await db.feedback.append(events)
    found = await db.feedback.of_runs([f"r{number}" for number in range(1100)] + ["r1", "none"])
    assert len(found) == 1100


async def test_a_study_keeps_its_trials_and_ends_once(db: Database) -> None:
    study = Study("one", "bands", RUNNING, "grid", NOW, None, {"until": NOW.isoformat()})
    assert await db.studies.begin(study)
    assert not await db.studies.begin(study)
    for number in (2, 1, 1):
        await db.studies.add(StudyTrial("one", number, {"high": number / 10}, number / 100, NOW))
    assert [one.number for one in await db.studies.trials("one")] == [1, 2]
    assert await db.studies.running("bands") == study
    assert await db.studies.running("fusion") is None
    assert await db.studies.end("one", {"finding": ODD_TEXT})
    assert not await db.studies.end("one", {"finding": "another"})
    assert await db.studies.running("bands") is None
    (ended,) = await db.studies.list("bands")
    assert (ended.outcome, ended.ended_at is None) == ({"finding": ODD_TEXT}, False)
