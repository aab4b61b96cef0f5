"""Rounds of evolution on a real product with a scripted model and the real sandbox."""

from functools import partial
from pathlib import Path

import pytest

from hammerstone.app.evolution.rounds import EvolveOptions
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, ModelMissing, NotFound
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.prompting.prompt_trials import right_reply
from hammerstone.library.prompting.prompt_shelf import OwnPrompts
from hammerstone.models.fakes.scripted import Line
from hammerstone.prompts import read, shipped_text
from hammerstone.storage.stores.learning.evolution_rounds import RoundRow
from hammerstone.storage.stores.queue.leases import HeldLease
from tests.integration.evolution.evolving import answering, evolving, times_suite


class FixedTrack:
    """A track that does what a test wants."""

    def __init__(self, name: TrackName, act) -> None:
        self.name = name
        self.act = act
        self.tasks: list[TrackTask] = []

    async def try_change(self, task: TrackTask) -> TrackResult:
        self.tasks.append(task)
        return await self.act(task)


async def _nothing(task: TrackTask) -> TrackResult:
    return TrackResult(TrackName.SKILL, TrackOutcome.REVERTED, ("It did not help.",))


async def test_rounds_follow_each_other_while_something_is_kept(proved_folder: Path):
    times_suite(proved_folder)

    async def kept(task: TrackTask) -> TrackResult:
        outcome = TrackOutcome.KEPT if len(track.tasks) < wanted else TrackOutcome.REVERTED
        return TrackResult(TrackName.SKILL, outcome, ("It was tried.",))

    async with evolving(proved_folder, answering("a + b")) as hs:
        track, wanted = FixedTrack(TrackName.SKILL, kept), 2
        hs.evolution.dispatcher.tracks = {TrackName.SKILL: track}
        row = await hs.evolution.run("times")
        second, first = await hs.evolution.rounds()
        assert (row.id, len(track.tasks)) == (second.id, 2)
        assert f"Round {first.id} has kept something (skill)" in second.account[0]
        assert first.cost["cases"] == second.cost["cases"] == 14
        wanted = 1_000
        await hs.evolution.run("times")
        assert len(track.tasks) == 5  # as many as the policy allows
        await hs.evolution.run("times", EvolveOptions(budget=TrackBudget(tokens=0)))
        assert len(track.tasks) == 5


async def test_a_suite_that_goes_well_is_left_as_it_is(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b")) as hs:
        row = await hs.evolution.run("times")
        assert (row.state, row.average) == ("done", 1.0)
        assert row.recommendation["tracks"] == []
        assert "Nothing is recommended" in " ".join(row.account)
        assert await hs.evolution.attempts() == []
        _, _, verdicts = await hs.evolution.round(row.id)
        assert len(verdicts) == 14 and {one.source for one in verdicts} == {"known answer"}
        assert len(await hs.evolution.samples()) == 5
        status = await hs.evolution.status()
        assert status["preset"] == "harden" and status["suites"]["times"]["finding"] == "steady"


async def test_failures_of_arithmetic_are_a_skill_and_the_track_is_really_called(
    proved_folder: Path,
):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b + 1")) as hs:
        track = FixedTrack(TrackName.SKILL, _nothing)
        hs.evolution.dispatcher.tracks = {TrackName.SKILL: track}
        said: list[str] = []
        row = await hs.evolution.run("times", EvolveOptions(say=said.append))
        assert row.average == 0.0 and row.signals["skill_gap"] == 1.0
        assert all(sentence in said for sentence in row.account[:-2])
        told = " ".join(row.account)
        assert "Recommended: skill" in told and "Nothing helped" in told
        [task] = track.tasks
        hidden = {case.id for case in task.train} | {case.id for case in task.validation}
        assert len(hidden) < 14 and {one.case for one in task.failures} <= hidden
        assert all(one.cause == "arithmetic" for one in task.failures)
        [attempt] = await hs.evolution.attempts()
        assert (attempt.track, attempt.outcome) == ("skill", "reverted")
        _, _, verdicts = await hs.evolution.round(row.id[:4])
        assert all(one.failed and one.finding["cause"] == "arithmetic" for one in verdicts)
        assert all("request" not in one.finding for one in verdicts)


async def test_a_crash_in_a_track_is_told_and_changes_nothing(proved_folder: Path):
    times_suite(proved_folder)

    async def crash(task: TrackTask) -> TrackResult:
        raise RuntimeError("no such thing")

    async with evolving(proved_folder, answering("a + b")) as hs:
        before = await hs.learning.proposals([])
        hs.evolution.dispatcher.tracks = {TrackName.SKILL: FixedTrack(TrackName.SKILL, crash)}
        row = await hs.evolution.run("times")
        [attempt] = await hs.evolution.attempts()
        assert attempt.outcome == "broken" and "no such thing" in attempt.account[0]
        assert row.state == "done" and await hs.learning.proposals([]) == before


async def test_a_budget_that_ends_in_the_middle_leaves_everything_as_it_was(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        options = EvolveOptions(budget=TrackBudget(tokens=300))
        row = await hs.evolution.run("times", options)
        assert row.state == "done" and "budget ended" in " ".join(row.account)
        assert await hs.evolution.attempts() == []


async def test_without_a_model_nothing_is_concluded_and_it_says_what_helps(proved_folder: Path):
    times_suite(proved_folder)

    def missing(_: Prompt) -> Line:
        raise ModelMissing("it is not here", hint="hammerstone model pull")

    async with evolving(proved_folder, missing) as hs:
        row = await hs.evolution.run("times")
        assert row.account[-1].startswith("The model could not be asked: it is not here.")
        assert row.account[-1].endswith("Try: hammerstone model pull") and row.average is None


async def test_what_cannot_be_is_refused_before_anything_is_run_or_written(proved_folder: Path):
    times_suite(proved_folder)
    nowhere = proved_folder / "nowhere"
    refused = [
        EvolveOptions(budget=TrackBudget(seconds=-5.0)),
        EvolveOptions(budget=TrackBudget(seconds=float("nan"))),
        EvolveOptions(budget=TrackBudget(tokens=-1)),
        EvolveOptions(budget=TrackBudget(usd=float("inf"))),
        EvolveOptions(documents=nowhere),
        EvolveOptions(documents=Path("a" * 5_000)),
        EvolveOptions(program=nowhere),
    ]
    async with evolving(proved_folder, answering("a * b")) as hs:
        for options in refused:
            with pytest.raises(BadRequest):
                await hs.evolution.run("times", options)
        with pytest.raises(NotFound, match="no suite 'none'"):
            await hs.evolution.run("none")
        assert await hs.evolution.rounds() == []


async def test_too_few_and_contradicting_cases_are_refused_in_words(proved_folder: Path):
    suite = times_suite(proved_folder, cases=3)
    async with evolving(proved_folder, answering("a * b")) as hs:
        row = await hs.evolution.run("times")
        assert "too few to prove anything" in row.account[0] and row.average is None
        assert "--judge-only" in row.account[1]
        judged = await hs.evolution.run("times", EvolveOptions(judge_only=True))
        assert "then they are judged, all of it within" in judged.account[0]
        assert judged.average == 1.0 and len((await hs.evolution.round(judged.id))[2]) == 3
        more = '{"id": "again", "request": "What is 2 times 4?", "expect": 9}\n'
        cases = suite / "cases.jsonl"
        cases.write_text(cases.read_text() + more)
        row = await hs.evolution.run("times")
        assert row.account[0] == "c2, again ask the same and want different answers: left out"


async def test_below_level_4_it_judges_and_tries_nothing(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        track = FixedTrack(TrackName.SKILL, _nothing)
        hs.evolution.dispatcher.tracks = {TrackName.SKILL: track}
        await hs.policies.change("maturity", {"level": 3}, who="anna", why="careful")
        row = await hs.evolution.run("times")
        assert not track.tasks and "maturity level is 3" in row.account[-1]


async def test_a_hard_constraint_is_not_traded_for_score(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:

        async def loosen(task: TrackTask) -> TrackResult:
            await hs.policies.change("request_budget", {"tokens": 99}, who="track", why="score")
            return TrackResult(TrackName.SKILL, TrackOutcome.KEPT, ("It got better.",))

        hs.evolution.dispatcher.tracks = {TrackName.SKILL: FixedTrack(TrackName.SKILL, loosen)}
        await hs.evolution.run("times")
        [attempt] = await hs.evolution.attempts()
        assert attempt.outcome == "refused"
        assert "request_budget was changed, which only a person may do" in attempt.account[-1]


async def test_a_knob_in_an_experiment_is_refused(proved_folder: Path):
    times_suite(proved_folder)

    class Busy:
        async def in_use(self, name: str) -> str:
            return "the experiment tone" if name == "prompt/solve" else ""

    async with evolving(proved_folder, answering("a + b")) as hs:
        track = FixedTrack(TrackName.SKILL, _nothing)
        hs.evolution.dispatcher.tracks = {TrackName.SKILL: track}
        hs.evolution.dispatcher.use_knobs(Busy())
        await hs.evolution.run("times")
        [attempt] = await hs.evolution.attempts()
        assert attempt.outcome == "refused" and not track.tasks
        assert "prompt/solve is in use: the experiment tone" in attempt.account[0]


async def test_two_rounds_on_one_suite_and_a_suite_that_is_not_there(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b")) as hs:
        lease = await hs.evolution.monitor._db.leases.take("evolution times", "other", 60)
        with pytest.raises(BadRequest, match="another evolution"):
            await hs.evolution.run("times")
        await hs.evolution.monitor._db.leases.give_back(lease)
        with pytest.raises(NotFound):
            await hs.evolution.run("none")
        assert await hs.evolution.rounds() == []  # neither was begun


async def test_a_round_whose_process_is_gone_is_broken_off_and_one_at_work_is_not(
    proved_folder: Path,
):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a * b")) as hs:
        db = hs.evolution.monitor._db
        when = db.access.clock.now()
        for id, suite in (("killed", "times"), ("alive", "other")):
            await db.evolution.start(RoundRow(id, suite, "ada", "running", when))
        held = HeldLease(db.leases, "evolution other", "alive")
        assert await held.take()
        states = {row.id: row for row in await hs.evolution.rounds()}
        assert states["alive"].state == "running" and states["alive"].finished_at is None
        assert states["killed"].state == "broken" and "broken off" in states["killed"].account[-1]
        wanted = {"high": {"fit.high": 0.9}}
        with pytest.raises(BadRequest, match="at work on the suite other"):
            await hs.experiments.start("bands", wanted, who="ada")
        assert await hs.experiments.list() == []
        await held.give_back()
        await hs.experiments.start("bands", wanted, who="ada")
        row = await hs.evolution.run("times")  # whoever runs the next round is not kept from it
        assert row.state == "done"
        assert (await hs.evolution.round("alive"))[0].state == "broken"


async def test_a_right_reply_can_be_an_example_of_its_prompt(proved_folder: Path):
    times_suite(proved_folder)
    async with (
        evolving(proved_folder, answering("a * b")) as hs,
        hs.evolution.bench.open("times") as suite,
    ):
        (run,) = await suite.run(suite.cases[:1], Trial(), TrackPurse(TrackBudget()))
    found = right_reply(read("solve", shipped_text("solve")), run.score)
    assert run.score.passed and found is not None
    assert found.asked.startswith("What is 2 times 4?") and "answer = work(2, 4)" in found.reply
    assert right_reply(read("kind", shipped_text("kind")), run.score) is None


async def test_time_that_ends_leaves_what_was_run(
    proved_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    times_suite(proved_folder)
    asked: list[str] = []

    def clock() -> float:
        """All of the time is gone once three cases were asked."""
        return 1_000.0 if len(set(asked)) > 2 else 0.0

    def noting(prompt: Prompt) -> Line:
        if prompt.purpose == "solution":
            asked.append(prompt.messages[-1].text)
        return answering("a * b + 1")(prompt)

    purse = partial(TrackPurse, now=clock)
    monkeypatch.setattr("hammerstone.app.evolution.evolver.TrackPurse", purse)
    async with evolving(proved_folder, noting) as hs:
        told: list[str] = []
        options = EvolveOptions(budget=TrackBudget(seconds=900.0), say=told.append)
        row = await hs.evolution.run("times", options)
        assert row.state == "done" and row.cost["cases"] == 3
        assert row.account[0].startswith(
            "First 14 cases are run as it is; then they are judged, and"
        )
        assert told == [row.account[0]]
        assert row.account[1].startswith("3 cases were run, the average")
        assert "budget ended after 3 of 14 cases (15 min)" in row.account[-1]
        assert row.average is None
        assert await hs.evolution.attempts() == [] and await hs.evolution.scores("times") == []
        again = await hs.evolution.run("times", EvolveOptions(budget=TrackBudget(seconds=0.0)))
        assert "at the pace of the last round" in again.account[0]
        assert again.account[-1].startswith("The budget ended before one case was run")


async def test_a_prompt_that_is_taken_away_while_a_track_runs_breaks_nothing(proved_folder: Path):
    times_suite(proved_folder)
    async with evolving(proved_folder, answering("a + b")) as hs:
        own = OwnPrompts(hs.policies)
        await own.set("solve", own.text("solve"), who="anna", why="mine")

        async def delete(task: TrackTask) -> TrackResult:
            await own.reset("solve", who="anna")
            [score] = await task.trials.score([task.train[0].id], Trial(policies={"cache": {}}))
            return TrackResult(TrackName.SKILL, TrackOutcome.NOTHING, (f"It got {score.score}.",))

        hs.evolution.dispatcher.tracks = {TrackName.SKILL: FixedTrack(TrackName.SKILL, delete)}
        row = await hs.evolution.run("times")
        [attempt] = await hs.evolution.attempts()
        assert row.state == "done" and attempt.outcome == "nothing", attempt.account
        assert not own.is_own("solve")
