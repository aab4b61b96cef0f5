"""Documents that are kept because they help, and changes that are taken back because they lost."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from hammerstone.core.changes import ProposalKind
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest
from hammerstone.learn.evolution.judges.causes import FailureClass, FailureFinding, RootCause
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.monitoring import MonitorFinding
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    ScoreInterval,
    TrackCase,
    TrackName,
    TrackOutcome,
    TrackTask,
    Trial,
)
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.proposals import Proposal
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.models.fakes.scripted import Line
from hammerstone.storage.stores.learning.evolution_rounds import SuiteScoreRow
from hammerstone.storage.stores.learning.run_verdicts import JudgeCheckRow
from tests.integration.engine import services_of
from tests.integration.evolution.evolving import answering, evolving, times_suite

LACKS = FailureFinding(
    "r", FailureClass.OTHER, RootCause.MISSING_KNOWLEDGE, "the fact is nowhere to be found"
)


class Told:
    """Trials that come to what a test wants with documents, and to nothing without."""

    def __init__(self, gain: float) -> None:
        self._gain = gain

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        score = self._gain if trial.documents else 0.0
        return tuple(CaseScore(case, score) for case in cases)

    async def test(self, trial: Trial) -> HiddenResult:
        pairs = tuple(ScorePair(f"hidden {n}", 0.0, self._gain) for n in range(12))
        return HiddenResult(
            pairs, (), ScoreInterval(0, 0, 0.2, 12), ScoreInterval(self._gain, 0.7, 1, 12)
        )


def task(folder: Path | None, gain: float = 1.0, review: bool = False) -> TrackTask:
    cases = tuple(TrackCase(f"c{n}", f"request {n}", n) for n in range(4))
    purse = TrackPurse(TrackBudget())
    return TrackTask(
        "t", "facts", cases, cases, (LACKS,), Told(gain), purse, review=review, documents=folder
    )


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "mills.md").write_text("# Mills\n\nHelga Brandt founded Ostara Mills in 1923.\n")
    return folder


async def test_documents_that_help_are_added_and_can_be_taken_back(
    proved_folder: Path, papers: Path
):
    async with evolving(proved_folder, answering("a * b")) as hs:
        track = hs.evolution.dispatcher.tracks[TrackName.KNOWLEDGE]
        result = await track.try_change(task(papers))
        assert result.outcome is TrackOutcome.KEPT, result.account
        assert [row.title for row in await hs.documents.list()] == ["Mills"]
        assert await hs.skills.knows("documents", "")
        proposal = await hs.learning.proposal(result.proposal)
        assert "promoted by evolution" in " ".join(proposal["audits"])
        await hs.learning.gate.undo(result.proposal, who="anna")
        assert await hs.documents.list() == []


async def test_without_gain_or_folder_nothing_is_added_and_review_waits(
    proved_folder: Path, papers: Path
):
    async with evolving(proved_folder, answering("a * b")) as hs:
        track = hs.evolution.dispatcher.tracks[TrackName.KNOWLEDGE]
        assert (await track.try_change(task(None))).outcome is TrackOutcome.REFUSED
        none = await track.try_change(task(papers, gain=0.0))
        assert none.outcome is TrackOutcome.REVERTED and "no gain" in none.account[-1]
        waiting = await track.try_change(task(papers, review=True))
        assert waiting.outcome is TrackOutcome.WAITING
        assert await hs.documents.list() == []
        await hs.learning.gate.approve(waiting.proposal, who="anna")
        assert len(await hs.documents.list()) == 1


async def _scores(hs, days: int, right: int, *, back: int) -> None:
    now = services_of(hs).records.clock.now()
    for day in range(days):
        cases = {f"c{n}": float(n < right) for n in range(40)}
        at = now - timedelta(days=back - day)
        row = SuiteScoreRow("times", "monitor", right / 40, 1.0, cases, at)
        await services_of(hs).records.db.evolution.add_score(row)


async def _promoted(hs, who: str, *, probation: bool = False) -> str:
    pairs = tuple(ScorePair(str(n), 0.0, 1.0) for n in range(12))
    proposal = Proposal(
        ProposalKind.POLICY, "mining", "policy mining", {"values": {"sessions": 3}},
        ProposalEvidence(held_out=pairs), probation=probation,
    )  # fmt: skip
    decided = await hs.learning.gate.propose(proposal, who=who)
    if not decided.in_force:
        decided = await hs.learning.gate.approve(decided.id, who=who)
    assert decided.in_force, decided.reason
    return decided.id


@pytest.mark.parametrize(("who", "standing"), [("evolution", "rolled back"), ("anna", "promoted")])
async def test_a_change_that_lost_is_rolled_back_unless_a_person_made_it(
    proved_folder: Path, who: str, standing: str
):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        await _scores(hs, 10, 40, back=11)
        id = await _promoted(hs, who)
        found = await hs.evolution.watch("times")  # with this model every case is wrong
        assert found.finding is MonitorFinding.LOST and found.change.proposal == id
        row = await services_of(hs).records.db.proposals.get(id)
        assert row.status == standing
        assert ("taken back" if who == "evolution" else f"hammerstone undo {id}") in found.followed


async def test_a_persons_change_is_theirs_also_after_its_probation(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        await _scores(hs, 10, 40, back=11)
        id = await _promoted(hs, "anna", probation=True)
        await hs.learning.gate.settle(id, why="it went well")
        found = await hs.evolution.watch("times")
        assert found.finding is MonitorFinding.LOST and found.change.by_person
        assert (await services_of(hs).records.db.proposals.get(id)).status == "promoted"


WITH_EACH_USE = ("examination", "trust", "lesson")


@pytest.mark.parametrize("kind", [one for one in ProposalKind if one not in WITH_EACH_USE])
async def test_any_change_by_which_a_suite_lost_is_found(proved_folder: Path, kind: ProposalKind):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        db, now = services_of(hs).records.db, services_of(hs).records.clock.now()
        await _scores(hs, 10, 40, back=11)
        note = ChangeNote(
            kind, "it", "a change", "evolution", "it helps", {"before": "", "after": ""}
        )
        async with db.transaction() as stores:
            await keep_note(stores, note, now - timedelta(hours=1))
        await _scores(hs, 1, 0, back=0)
        found = await hs.evolution.monitor.decide("times")
        assert found.finding is MonitorFinding.LOST and not found.change.by_person


async def test_the_monitor_is_a_job_that_watches_scored_suites_only(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b")) as hs:
        assert await hs.evolution.monitor.news() == ""
        decision = await hs.evolution.watch("times")
        assert decision.finding is MonitorFinding.STEADY
        assert await hs.evolution.monitor.news() == "1 suites are watched"
        [turn] = await hs.learning.jobs.run(["monitor"], dry_run=True)
        assert turn.report["changes"] == []


async def test_below_the_mark_it_starts_by_itself_only_in_continuous_mode(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        await hs.evolution.set_preset("repair-only", who="anna")
        found = await hs.evolution.watch("times")
        assert found.finding is MonitorFinding.LOW and await hs.evolution.rounds() == []
        await hs.policies.change("monitor", {"continuous": True}, who="anna", why="by itself")
        await hs.evolution.watch("times")
        [started] = await hs.evolution.rounds()
        assert started.who == "evolution" and started.state == "done"
        assert "Not possible: prompt" not in " ".join(started.account)
        tried = {one.track for one in await hs.evolution.attempts()}
        assert tried == {"skill"}  # all that the preset allows
        await hs.evolution.watch("times")  # not again within the pause
        assert len(await hs.evolution.rounds()) == 1


async def test_a_look_that_cannot_be_finished_concludes_nothing(proved_folder: Path):
    suite = times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b")) as hs:
        await hs.evolution.watch("times")
        await hs.policies.change("evolution", {"tokens": 1}, who="anna", why="nearly nothing")
        cut = await hs.evolution.watch("times")
        assert cut.finding is MonitorFinding.UNKNOWN and "nothing is concluded" in cut.why
        assert len(await hs.evolution.scores("times")) == 1
        (suite / "cases.jsonl").write_text("{")
        report = await hs.evolution.monitor.run(dry_run=False)
        assert "unknown" in str(report.details["times"])


async def test_presets_samples_and_a_distrusted_judge(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b")) as hs:
        await hs.evolution.set_preset("repair-only", who="anna")
        assert hs.evolution.preset() == "repair-only"
        with pytest.raises(BadRequest):
            await hs.evolution.set_preset("reckless", who="anna")
        await hs.evolution.run("times")
        for sample in await hs.evolution.samples():
            await hs.evolution.review(sample.id, False, who="anna")
        assert await hs.evolution.verdicts.agreement() == (0, 5)
        assert await hs.evolution._evolver._distrusted()


async def test_every_request_is_judged_once_by_itself(proved_folder: Path):
    async with evolving(proved_folder, answering("a * b")) as hs:
        await hs.policies.change("judges", {"feedback_hours": 0.0}, who="anna", why="at once")
        assert await hs.evolution.judging.news() == ""
        await hs.ask("What is 3 times 4?", session="s")
        await hs.feedback.wrong(13)
        await hs.ask("What is 5 times 6?", session="s")
        assert await hs.evolution.judging.news() == "2 requests not judged yet"
        [turn] = await hs.learning.jobs.run(["judging"], dry_run=True)
        assert turn.changes == [{"what": "2 requests would be judged", "why": ""}]
        [turn] = await hs.learning.jobs.run(["judging"])
        told = {"what": "2 requests judged", "why": "1 failed: arithmetic (1)"}
        assert turn.changes == [told] and turn.pace == 1.0
        assert await hs.evolution.judging.news() == ""
        verdicts = await services_of(hs).records.db.verdicts.of_requests()
        assert sorted(one.failed for one in verdicts) == [False, True]
        [failed] = await hs.evolution.verdicts_of_requests(failed=True)
        assert failed.finding is not None and failed.finding["cause"] == "arithmetic"
        assert len(await hs.evolution.verdicts_of_requests()) == 2
        traces = await services_of(hs).records.db.trace_judgements.list()
        assert any(one.marks["task_completion"] < 0.1 for one in traces)


def judging(prompt: Prompt) -> Line:
    wrong = '{"work": "3 + 4", "result": "7", "right": false}'
    return wrong if prompt.purpose == "judge run" else answering("a * b")(prompt)


async def test_a_judge_that_counts_is_asked_within_what_may_be_spent(proved_folder: Path):
    async with evolving(proved_folder, judging) as hs:
        await hs.policies.change("judges", {"ask_below": 1.0}, who="anna", why="ask always")
        desk, records = hs.evolution.verdicts, services_of(hs).records
        model = desk.model()
        assert model is not None
        trusted = JudgeReliability(8, 0, 1, 7).to_json()
        await records.db.judge_checks.add(
            JudgeCheckRow("runs", model.name, trusted, records.clock.now())
        )
        answer = await hs.ask("What is 3 times 4?", session="s")
        nothing = TrackPurse(TrackBudget(tokens=0))
        alone = await desk.look(answer.run_id, nothing)
        asked = await desk.look(answer.run_id, TrackPurse(TrackBudget(tokens=10_000)))
        assert asked.score < alone.score
        first, second = await records.db.verdicts.of_requests()
        assert (first.source, second.source) == ("agreement and proof", "model judge")
        assert "in 94% of 16 answers of known truth" in second.why


async def test_recorded_requests_are_judged_with_their_traces(proved_folder: Path):
    async with evolving(proved_folder, answering("a * b")) as hs:
        await hs.ask("What is 3 times 4?", session="s")
        runs = await hs.evolution.recent(hs.settings.user)
        [judged] = await hs.evolution.judge(runs)
        assert judged.score > 0.7 and judged.finding is None
        await hs.feedback.wrong(13)
        [judged] = await hs.evolution.judge(await hs.evolution.recent(hs.settings.user, 1))
        assert judged.score < 0.1 and judged.finding.cause == "arithmetic"
        rows = await services_of(hs).records.db.trace_judgements.list()
        assert rows and rows[0].marks["task_completion"] < 0.1
