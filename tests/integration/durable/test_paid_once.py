"""Work besides requests that is broken off and begun again: no model is paid for a reply twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.learning.jobs.job_runner import KIND
from hammerstone.core.chat import Message, Prompt, Role
from hammerstone.core.job_runs import JobReport, JobRunState
from hammerstone.core.jobs import Asker
from hammerstone.core.seams import Model
from hammerstone.core.settings import Settings
from hammerstone.guard.journal import StepJournal
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.fakes.scripted import Line
from hammerstone.models.one import OneModel
from hammerstone.run.durable.holding import RUN
from hammerstone.run.request import AskOptions
from tests.integration.eager import eager
from tests.integration.engine import scripted_engine, services_of
from tests.integration.evolution.evolving import answering, evolving, times_suite
from tests.integration.learn.test_tool_repairer import FIXED, library


class Killed(BaseException):
    """Stands for the end of the process."""


class Paid:
    """Counts what a model is asked, and ends the process at a certain call."""

    def __init__(self, says: Callable[[Prompt], Line], dies_at: int = 0) -> None:
        self.asked: list[str] = []
        self.dies_at = dies_at
        self._says = says

    def __call__(self, prompt: Prompt) -> Line:
        self.asked.append(prompt.messages[-1].text)
        if len(self.asked) == self.dies_at:
            raise Killed
        return self._says(prompt)


class AskingJob:
    """A job that asks a model three things in a turn."""

    name, about, every_s = "asking", "asks", 3600.0

    def __init__(self, model: Model) -> None:
        self._model = model
        self.said: list[str] = []

    async def news(self) -> str:
        return "something is new"

    async def run(self, *, dry_run: bool) -> JobReport:
        self.said = []
        for number in range(3):
            reply = await self._model.complete(Prompt((Message("user", f"question {number}"),)))
            self.said.append(reply.samples[0].text)
        return JobReport(())


def asking_job(hs: Hammerstone) -> AskingJob:
    job = AskingJob(services_of(hs).workshop.models.for_role(Role.CODER))
    hs.learning.jobs.add(job)
    return job


async def test_a_turn_of_learning_that_was_killed_pays_only_for_the_rest(tmp_path: Path) -> None:
    paid = Paid(lambda prompt: f"reply to {prompt.messages[-1].text}", dies_at=3)
    async with scripted_engine(paid, tmp_path) as hs:  # type: ignore[arg-type]
        asking_job(hs)
        with pytest.raises(Killed):
            await hs.learning.jobs.run(["asking"])
        db = services_of(hs).records.db
        assert len(await db.paid_steps.of_job(KIND, "asking")) == 2
        for job in await db.jobs.list(KIND):
            await db.jobs.end_lease(job)

    async with scripted_engine(paid, tmp_path) as hs:  # type: ignore[arg-type]
        job = asking_job(hs)
        (turn,) = await hs.learning.jobs.run(["asking"])
        left = await services_of(hs).records.db.paid_steps.of_job(KIND, "asking")
        (again,) = await hs.learning.jobs.run(["asking"])

    whole = [f"question {number}" for number in range(3)]
    assert turn.state is again.state is JobRunState.DONE and left == []
    assert job.said == [f"reply to {one}" for one in whole]
    assert paid.asked == [*whole, whole[2], *whole]  # the next turn is another one, and pays


async def test_a_turn_whose_process_died_is_taken_over_at_once(tmp_path: Path) -> None:
    paid = Paid(lambda _: "yes")
    async with scripted_engine(paid, tmp_path) as hs:  # type: ignore[arg-type]
        asking_job(hs)
        jobs, runner = services_of(hs).records.db.jobs, hs.learning.jobs
        machine, _, _, name = runner._holding.holder.split("/")
        await jobs.put(KIND, "asking", Asker("first", {"why": "new"}))
        # A process number that is taken, but not since then.
        dead = f"{machine}/1/0/{name}"
        assert await jobs.claim(KIND, dead, lease_s=300.0, key="asking") is not None
        (turn,) = await runner.run(["asking"])
    assert turn.state is JobRunState.DONE


async def test_a_round_of_evolution_that_was_broken_off_pays_only_for_the_rest(
    proved_folder: Path,
) -> None:
    times_suite(proved_folder)
    whole = Paid(answering("a * b"))
    async with evolving(proved_folder, whole) as hs:
        once = await hs.evolution.run("times")
    paid = Paid(answering("a * b"), dies_at=8)
    async with evolving(proved_folder, paid) as hs:
        with pytest.raises((Killed, BaseExceptionGroup)):
            await hs.evolution.run("times")
        kept = await services_of(hs).records.db.paid_steps.of_job("evolution", "times")
    before = len(paid.asked)
    async with evolving(proved_folder, paid) as hs:
        row = await hs.evolution.run("times")
        left = await services_of(hs).records.db.paid_steps.of_job("evolution", "times")
    assert (row.state, row.average) == (once.state, once.average) == ("done", 1.0)
    assert len(kept) > 0 and left == []
    assert len(paid.asked) == before + len(whole.asked) - len(kept)
    assert row.cost["tokens"] == once.cost["tokens"], "the whole cost is told"


async def test_a_repair_within_a_request_is_not_paid_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAMMERSTONE_STARTER_TOOLS", "false")  # there is one tool alone
    others = {"arguments": '{"values": []}', "fit": '{"fits": true}'}
    asked: list[str] = []

    def says(prompt: Prompt) -> str:
        asked.append(prompt.purpose)
        return FIXED if prompt.purpose == "fix" else others.get(prompt.purpose, "no idea")

    async with library(tmp_path / "whole", says) as (hs, _):
        await eager(hs)
        once = await hs.ask("mean of the values []")
    whole = asked.count("fix")
    asked.clear()
    keep = StepJournal.keep

    async def dies(journal: StepJournal, *given: Any, **more: Any) -> None:
        await keep(journal, *given, **more)
        if "fix" in asked:
            raise Killed

    async with library(tmp_path / "broken", says) as (hs, _):
        await eager(hs)

        async def nothing(*_: object) -> None:
            return

        hs._answerer._recorder.abandon = nothing  # type: ignore[method-assign]
        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(StepJournal, "keep", dies)
            await hs.ask("mean of the values []", session="s", options=AskOptions(run_id="r"))
        await hs._holds.close()
        for job in await services_of(hs).records.db.jobs.list(RUN):
            await services_of(hs).records.db.jobs.end_lease(job)
    assert asked.count("fix") > 0

    settings = Settings(data_dir=tmp_path / "broken", embedder="off")
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(fenced(says)))) as hs:
        (answer,) = await hs.wake("s")
    assert (answer.result, answer.run_id) == (0, "r") and once.result == 0
    assert asked.count("fix") == whole
    assert answer.cost.model_calls == once.cost.model_calls


def fenced(says: Callable[[Prompt], str]) -> Callable[[Prompt], str]:
    """The same model, which writes programs as models do."""
    return lambda prompt: (
        f"```python\n{says(prompt)}```" if prompt.purpose == "fix" else says(prompt)
    )
