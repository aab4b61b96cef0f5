"""A run that is stopped elsewhere while its step still finishes, and an upgrade in the middle."""

import asyncio
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.durable.holding import RUN
from hammerstone.run.request import AskOptions
from tests.integration.durable.test_continued import PaidCalls, broken_off
from tests.integration.engine import percent_script, scripted_engine, services_of
from tests.integration.held import HeldModel

REQUEST = "What is 17.5% of 240?"


async def test_a_step_that_finishes_after_its_run_was_stopped_elsewhere_changes_nothing(
    tmp_path: Path,
) -> None:
    model = HeldModel(percent_script())
    settings = Settings(data_dir=tmp_path, embedder="off")
    async with (
        Hammerstone.open(settings, models=OneModel(model)) as hung,
        scripted_engine(percent_script(), tmp_path) as other,
    ):
        options = AskOptions(run_id="r")
        asking = asyncio.create_task(hung.ask(REQUEST, session="s", options=options))
        db = services_of(other).records.db
        while not (held := await db.jobs.list(RUN)):
            await asyncio.sleep(0.01)
        await db.jobs.end_lease(held[0])  # it hangs for longer than its lease
        await other.queue.cancel("r", "local")
        model.released.set()  # only now its model replies
        with pytest.raises(HammerstoneError) as told:
            await asking
        assert told.value.code == "taken_over"
        assert (await db.runs.get("r")).status == "cancelled"
        assert await db.jobs.list(RUN) == [] and await db.paid_steps.of_job(RUN, "r") == []
        assert await other.sessions.messages("s", "local") == []


async def test_an_upgrade_in_the_middle_of_a_run_costs_money_and_loses_nothing(
    tmp_path: Path,
) -> None:
    """What was paid for is known by the prompt and the model; a newer version may send others."""
    paid = PaidCalls(dies_at=2)
    await broken_off(tmp_path, paid)
    settings = Settings(data_dir=tmp_path, embedder="off")
    newer = ScriptedModel(paid, name="the model of the next version")
    async with Hammerstone.open(settings, models=OneModel(newer)) as hs:
        (answer,) = await hs.wake("s")
        row = await services_of(hs).records.db.runs.get("r")
        await hs.proofs.wait(answer)
        (proof,) = await hs.proofs.list()
    assert (answer.result, row.status, proof.state) == (42, "done", "done")
    assert answer.cost.model_calls > 2  # the calls of both versions are told
