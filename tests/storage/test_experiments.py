"""Experiments in the database: one a knob, ended by what they find or by another change."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.app.learning.experiments import ExperimentDesk, plan_of
from hammerstone.app.learning.learning import LEARNING_POLICIES
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.experiments import (
    Experiment,
    ExperimentMetric,
    ExperimentOutcome,
    ExperimentPlan,
    ExperimentState,
)
from hammerstone.core.run_record import RunRecord
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.learn.ledger.changes import appliers
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.library.policies import FitPolicy, Policies
from hammerstone.storage import Database, RunRow
from tests.hand_clock import HandClock

HIGH = {"careful": {"fit.high": 0.9}}


class Desk(ExperimentDesk):
    """A desk on a database, with a clock that is moved by hand."""

    def __init__(self, db: Database) -> None:
        self.clock = HandClock()
        self.clock.time = db.access.clock.now()
        self.policies = Policies(db, (MaturityPolicy, *LEARNING_POLICIES))
        made = appliers(cast(Any, None), self.policies, db)
        gate = ChangeGate(db, self.policies, made, self.clock)
        services = SimpleNamespace(
            records=SimpleNamespace(db=db, clock=self.clock),
            guards=SimpleNamespace(policies=self.policies),
        )
        super().__init__(cast(Any, services), gate)

    async def sessions(self, db: Database, experiment: Experiment, rates: dict[str, float]) -> None:
        """Sessions of one run each over a day, by many people, each variant with its success."""
        chance = random.Random(5)
        for number in range(260):
            session = f"{self.clock.time:%d}-{number}"
            variant = experiment.variant_of(session).name
            ok = chance.random() < rates[variant]
            record = RunRecord(variants={experiment.id: variant}).to_json()
            at = self.clock.time + timedelta(minutes=5 * number)
            status = "done" if ok else "failed"
            await db.runs.open(
                RunRow(session, session, f"p{number}", "q", "t", status, None, at, record=record)
            )
        self.clock.jump(days=2)


@pytest.fixture
async def desk(db: Database) -> AsyncIterator[Desk]:
    made = Desk(db)
    await made.policies.load()
    yield made


async def test_an_experiment_comes_back_as_it_was_started(db: Database, desk: Desk):
    plan = ExperimentPlan(
        ExperimentMetric.TOKENS, 12.5, (ExperimentMetric.SUCCESS, ExperimentMetric.SECONDS), 9
    )
    made = await desk.start("less words", HIGH, plan, who="ada")
    assert await desk.get(made.id) == await desk.get(made.id[:5]) == made
    assert made.knobs == ("fit.high",) and made.control == "as it is"
    assert await db.experiments.running() == [made] == await desk.list()
    with pytest.raises(NotFound):
        await desk.get("none")


async def test_no_two_experiments_share_a_knob(desk: Desk):
    first = await desk.start("one", HIGH, who="ada")
    with pytest.raises(BadRequest, match=rf"fit\.high is running already: {first.id}"):
        await desk.start("two", {"b": {"fit.high": 0.7, "fit.middle": 0.4}}, who="bob")
    other = await desk.start("other", {"b": {"fit.middle": 0.4}}, who="bob")
    assert await desk.knob_in_use("fit.high") == first.id
    assert await desk.knob_in_use("fit.middle") == other.id
    assert await desk.knob_in_use("fit") in (first.id, other.id)
    assert await desk.knob_in_use("search") is await desk.knob_in_use("fit.same_wording") is None
    await desk.stop(first.id, who="ada")
    assert await desk.knob_in_use("fit.high") is None
    await desk.start("two", {"b": {"fit.high": 0.7}}, who="bob")


async def test_of_two_processes_that_start_the_same_one_succeeds(db: Database, database_url: str):
    @asynccontextmanager
    async def process() -> AsyncIterator[Desk]:
        own = await Database.open_url(database_url)
        try:
            yield Desk(own)
        finally:
            await own.close()

    async with process() as one, process() as two:
        started = await asyncio.gather(
            *(desk.start("same", HIGH, who="ada") for desk in (one, two)), return_exceptions=True
        )
    assert sum(isinstance(each, Experiment) for each in started) == 1
    assert sum(isinstance(each, BadRequest) for each in started) == 1
    assert len(await db.experiments.running()) == 1


async def test_a_session_has_its_variant_in_force_and_others_do_not(db: Database, desk: Desk):
    made = await desk.start("one", HIGH, who="ada")
    elsewhere = Policies(db, LEARNING_POLICIES)
    await elsewhere.load()
    names = {made.variant_of(f"s{n}").name: f"s{n}" for n in range(20)}
    with elsewhere.trying(names["careful"]) as trial:
        assert elsewhere.get(FitPolicy).high == 0.9 and trial.variants == {made.id: "careful"}
        await elsewhere.load()
        assert elsewhere.get(FitPolicy).high == 0.9
    with elsewhere.trying(names["as it is"]) as trial:
        assert elsewhere.get(FitPolicy).high == 0.8 and trial.variants == {made.id: "as it is"}
    assert elsewhere.get(FitPolicy).high == 0.8
    assert len({elsewhere.mark_of(session) for session in names.values()}) == 2
    await desk.stop(made.id, who="ada")
    await elsewhere.load()
    with elsewhere.trying(names["careful"]) as trial:
        assert elsewhere.get(FitPolicy).high == 0.8 and not trial.variants


async def test_changing_its_policy_ends_an_experiment(desk: Desk):
    made = await desk.start("one", HIGH, who="ada")
    await desk.policies.change("fit", {"middle": 0.6}, who="bob", why="another number")
    assert (await desk.get(made.id)).state is ExperimentState.RUNNING
    await desk.policies.change("fit", {"high": 0.85}, who="bob", why="I know better")
    ended = await desk.get(made.id)
    assert (ended.state, ended.outcome) == (ExperimentState.ENDED, ExperimentOutcome.STOPPED)
    assert ended.reason == (
        "fit.high is not what it was when the experiment began: bob changed it (I know better)"
    )
    assert await desk.knob_in_use("fit.high") is None
    assert (await desk.look(made.id)) == ended


async def test_rolling_its_policy_back_ends_an_experiment(desk: Desk):
    await desk.policies.change("fit", {"high": 0.7}, who="ada", why="first")
    made = await desk.start("one", HIGH, who="ada")
    assert await desk.policies.rollback("fit", who="bob") == 0
    assert "back to the defaults" in (await desk.get(made.id)).reason


async def test_taking_a_change_of_its_policy_back_ends_an_experiment(desk: Desk):
    await desk.policies.change("fit", {"high": 0.7}, who="ada", why="first")
    made = await desk.start("one", HIGH, who="ada")
    assert await desk.policies.put_back("fit", 0, 1, who="bob", why="undo")
    assert (await desk.get(made.id)).outcome is ExperimentOutcome.STOPPED


async def test_a_winner_passes_the_gate(db: Database, desk: Desk):
    made = await desk.start("one", HIGH, who="ada")
    await desk.sessions(db, made, {"as it is": 0.4, "careful": 0.9})
    assert await desk.daily() == (made.id,)
    ended = await desk.get(made.id)
    assert (ended.outcome, ended.winner) == (ExperimentOutcome.BETTER, "careful")
    assert "The gate: promoted" in ended.reason and desk.policies.get(FitPolicy).high == 0.9
    entry = await db.proposals.get(ended.proposal)
    assert entry.status == "promoted" and entry.evidence["measured"]["units"] == 260
    assert await desk.daily() == ()
    await desk._gate.undo(ended.proposal, who="ada")
    assert desk.policies.get(FitPolicy).high == 0.8


async def test_a_winner_waits_for_a_person_who_wants_to_be_asked(db: Database, desk: Desk):
    await desk.policies.change("gate", {"ask_for_policies": True}, who="ada", why="ask me")
    made = await desk.start("one", HIGH, who="ada")
    await desk.sessions(db, made, {"as it is": 0.4, "careful": 0.9})
    assert await desk.daily() == (made.id,)
    ended = await desk.get(made.id)
    assert (ended.outcome, ended.winner) == (ExperimentOutcome.BETTER, "careful")
    assert ended.proposal and "The gate: waiting" in ended.reason
    proposal = await db.proposals.get(ended.proposal)
    assert proposal.target == "fit" and proposal.evidence["measured"]["p"] <= 0.01
    assert desk.policies.get(FitPolicy).high == 0.8
    await desk._gate.approve(ended.proposal, who="ada")
    assert desk.policies.get(FitPolicy).high == 0.9
    assert await desk.daily() == ()


async def test_a_null_result_is_refused_by_the_gate_and_stays_readable(db: Database, desk: Desk):
    plan = ExperimentPlan(ExperimentMetric.SUCCESS, 0.5, (), 28)
    made = await desk.start("one", HIGH, plan, who="ada")
    await desk.sessions(db, made, {"as it is": 0.5, "careful": 0.5})
    await desk.daily()
    ended = await desk.get(made.id)
    assert ended.outcome is ExperimentOutcome.NULL and not ended.winner
    assert "no variant is better by 0.5 or more" in ended.reason
    proposal = await db.proposals.get(ended.proposal)
    assert proposal.status == "refused" and proposal.decision
    assert proposal.decision["finding"] == "no-op"
    assert desk.policies.get(FitPolicy).high == 0.8


async def test_a_day_is_looked_at_once_and_clocks_never_make_it_negative(db: Database, desk: Desk):
    made = await desk.start("one", HIGH, who="ada")
    desk.clock.jump(days=-3)
    await desk.daily()
    desk.clock.jump(days=4.5)
    await desk.daily()
    await desk.daily()
    assert [look.day for look in await db.experiments.looks(made.id)] == [0, 1]
    document = await desk.document(made.id)
    assert [look["day"] for look in cast(Any, document["looks"])] == [0, 1]


async def test_what_a_crash_left_undone_is_proposed_later(db: Database, desk: Desk):
    made = await desk.start("one", HIGH, who="ada")
    await desk.sessions(db, made, {"as it is": 0.4, "careful": 0.9})
    proposes, desk._propose = desk._propose, cast(Any, _nothing)
    await desk.daily()
    assert not (await desk.get(made.id)).proposal
    desk._propose = proposes  # type: ignore[method-assign]
    await desk.daily()
    assert (await desk.get(made.id)).proposal


async def test_a_winner_of_two_policies_is_not_left_half_in_force(db: Database, desk: Desk):
    both: dict[str, dict[str, Any]] = {"careful": {"fit.high": 0.9, "search.known_after": 5}}
    made = await desk.start("both", both, who="ada")
    await desk.sessions(db, made, {"as it is": 0.4, "careful": 0.9})
    proposes, asked = desk._gate.propose, list[Any]()

    async def dies_at_the_second(proposal: Any, **more: Any) -> Any:
        asked.append(proposal)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return await proposes(proposal, **more)

    desk._gate.propose = dies_at_the_second  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        await desk.daily()
    assert desk.policies.values_of("fit")["high"] == 0.9
    desk._gate.propose = proposes  # type: ignore[method-assign]
    assert await desk.undecided() == 1
    await desk.daily()
    assert desk.policies.values_of("search")["known_after"] == 5
    ended = await desk.get(made.id)
    assert ended.proposal and ended.reason.count("promoted") == 2
    assert await desk.undecided() == 0


async def _nothing(*_: Any) -> None: ...


@pytest.mark.parametrize(
    ("variants", "told"),
    [
        ({}, "needs variants"),
        ({"b": {"fit.high": 7}}, "takes 0 to 1"),
        ({"b": {"fit.high": "much"}}, "takes a number"),
        ({"b": {"fit.nothing": 1}}, "has no 'nothing'"),
        ({"b": {"nothing.at_all": 1}}, "there is no policy"),
        ({"b": {"fit": 1}}, "not of the form"),
        ({"b": {"gate.alpha": 0.5}}, "no experiments on gate"),
        ({"b": {"fit.high": 0.8}}, "changes nothing"),
        ({f"v{n}": {"fit.high": n / 10} for n in range(7)}, "at most 6 variants"),
    ],
)
async def test_what_makes_no_experiment_is_refused(
    desk: Desk, variants: dict[str, dict[str, Any]], told: str
):
    with pytest.raises(BadRequest, match=told):
        await desk.start("bad", variants, who="ada")
    assert await desk.list() == []


async def test_plans_that_make_no_sense_are_refused(desk: Desk):
    for plan in (
        ExperimentPlan(max_days=0),
        ExperimentPlan(minimum_effect=-1.0),
        ExperimentPlan(minimum_effect=float("nan")),
        ExperimentPlan(guards=(ExperimentMetric.SUCCESS,)),
    ):
        with pytest.raises(BadRequest):
            await desk.start("bad", HIGH, plan, who="ada")
    with pytest.raises(BadRequest, match="there is no metric 'luck'"):
        plan_of(desk.policies, "luck", None, 0.0, None)
    assert plan_of(desk.policies, "tokens", None, 0.0, None).guards == (ExperimentMetric.SUCCESS,)
