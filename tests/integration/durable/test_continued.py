"""Runs whose process ended: taken up again where they stopped, and nothing is paid for twice."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.approvals import Approval
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelUnavailable, TakenOver
from hammerstone.core.jobs import Job
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect
from hammerstone.models.fakes.scripted import Line
from hammerstone.models.one import OneModel
from hammerstone.run import answering
from hammerstone.run.context import Run
from hammerstone.run.durable.holding import RUN, RunHolds
from hammerstone.run.request import AskOptions
from tests.integration.eager import eager
from tests.integration.engine import (
    Script,
    Watched,
    add_tool,
    percent_script,
    scripted_engine,
    services_of,
)
from tests.integration.held import HeldModel

REQUEST = "What is 17.5% of 240?"


class Killed(Exception):
    """Stands for the end of the process: nothing after it is written."""


class PaidCalls:
    """Counts what a model is asked, and ends the process at a certain call."""

    def __init__(self, dies_at: int = 0) -> None:
        self.purposes: list[str] = []
        self.dies_at = dies_at
        self._script = percent_script()

    def __call__(self, prompt: Prompt) -> Line:
        self.purposes.append(prompt.purpose)
        if len(self.purposes) == self.dies_at:
            raise Killed
        return self._script(prompt)


@asynccontextmanager
async def held_engine(folder: Path) -> AsyncIterator[tuple[Hammerstone, HeldModel]]:
    """An engine whose model says nothing before it is released."""
    model = HeldModel(percent_script())
    settings = Settings(data_dir=folder, embedder="off")
    async with Hammerstone.open(settings, models=OneModel(model)) as hs:
        yield hs, model


async def begun(hs: Hammerstone) -> "asyncio.Task[Answer]":
    """A run that waits for its model."""
    asking = asyncio.create_task(hs.ask(REQUEST, session="s", options=AskOptions(run_id="r")))
    while not await services_of(hs).records.db.jobs.list(RUN):
        await asyncio.sleep(0.01)
    return asking


@asynccontextmanager
async def dying(script: Callable[[Prompt], Line], folder: Path) -> AsyncIterator[Hammerstone]:
    """An engine that leaves everything as a killed process would."""
    async with scripted_engine(script, folder) as hs:  # type: ignore[arg-type]
        yield hs
        holds, db = hs._holds, services_of(hs).records.db
        await holds.close()
        for job in await db.jobs.list(RUN):
            await db.jobs.end_lease(job)


async def broken_off(folder: Path, paid: PaidCalls, text: str = REQUEST) -> str:
    """The id of a run that ended in the middle, with what it paid for stored."""
    async with dying(paid, folder) as hs:
        recorder = hs._answerer._recorder

        async def nothing(*_: object) -> None:
            return

        recorder.abandon = nothing  # type: ignore[method-assign]
        with pytest.raises(Killed):
            await hs.ask(text, session="s", options=AskOptions(run_id="r"))
    return "r"


async def test_a_run_goes_on_where_it_stopped(tmp_path: Path):
    paid = PaidCalls(dies_at=2)
    await broken_off(tmp_path, paid)
    watched = Watched()

    async with scripted_engine(paid, tmp_path) as hs:  # type: ignore[arg-type]
        (broken,) = await hs.waking.broken_off("local", "s")
        assert (broken.run_id, broken.text, broken.waits) == ("r", REQUEST, False)
        assert await hs.waking.broken_off("somebody else") == []
        (answer,) = await hs.wake("s", on_event=watched)
        assert await hs.wake("s") == []
        db = services_of(hs).records.db
        row = await db.runs.get("r")
        events = await db.events.of_run("r")
        assert await db.jobs.list(RUN) == []
        assert await db.paid_steps.of_job(RUN, "r") == []
        messages = await hs.sessions.messages("s", "local")

    assert (answer.result, answer.run_id, row.status) == (42, "r", "done")
    assert paid.purposes == ["solution"] * 3  # the second, which was not answered, once more
    assert answer.cost.model_calls == 4 and answer.cost.tokens > 0
    said = [(str(event.kind), event.text) for event in events]
    assert [event.number for event in events] == [*range(len(events))]
    assert said.count(("searching", "searching the library")) == 1
    assert watched.kinds[-1] == "done" and watched.kinds.count("searching") <= 1  # as it was stored
    assert [message.author for message in messages] == ["user", "assistant"]


async def test_the_true_total_is_told_even_if_the_rest_is_not_needed(tmp_path: Path):
    whole = PaidCalls()
    async with scripted_engine(whole, tmp_path / "whole") as hs:  # type: ignore[arg-type]
        once = await hs.ask(REQUEST)
    paid = PaidCalls(dies_at=2)
    await broken_off(tmp_path / "broken", paid)
    async with scripted_engine(paid, tmp_path / "broken") as hs:  # type: ignore[arg-type]
        (again,) = await hs.wake("s")

    assert again.cost.tokens == once.cost.tokens
    assert again.cost.model_calls == once.cost.model_calls


async def test_the_last_file_is_the_one_that_was_last_when_it_was_asked(tmp_path: Path):
    shown: list[str] = []
    paid = PaidCalls(dies_at=3)

    def line(prompt: Prompt) -> Line:
        shown.append(prompt.messages[-1].text)
        return paid(prompt)

    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    for file in (first, second):
        file.write_text("a,b\n1,2\n")
    home = tmp_path / "home"
    async with scripted_engine(line, home) as hs:  # type: ignore[arg-type]
        await hs.ask(f"{REQUEST} It has nothing to do with it.", session="s", files=[first])
    paid.dies_at = len(paid.purposes) + 1
    await broken_off(home, paid, f"{REQUEST} Say it for the last file.")
    async with scripted_engine(line, home) as hs:  # type: ignore[arg-type]
        await hs.ask(f"{REQUEST} And nothing else.", session="s", files=[second])
        shown.clear()
        (answer,) = await hs.wake("s")
    assert answer.result == 42
    assert "/files/first.csv" in shown[0] and "second.csv" not in shown[0]
    assert "nothing to do with it" in shown[0] and "And nothing else" not in shown[0]


async def test_a_run_that_ends_its_process_each_time_is_given_up(tmp_path: Path):
    paid = PaidCalls(dies_at=1)
    await broken_off(tmp_path, paid)
    for _ in range(2):
        paid.dies_at = len(paid.purposes) + 1
        async with dying(paid, tmp_path) as hs:
            recorder = hs._answerer._recorder

            async def nothing(*_: object) -> None:
                return

            recorder.abandon = nothing  # type: ignore[method-assign]
            with pytest.raises(Killed):
                await hs.wake("s")
    paid.dies_at = 0
    calls = len(paid.purposes)

    async with scripted_engine(paid, tmp_path) as hs:  # type: ignore[arg-type]
        assert await hs.wake("s") == []
        row = await services_of(hs).records.db.runs.get("r")
        assert await hs.waking.broken_off() == []

    assert row.status == "failed" and len(paid.purposes) == calls
    assert isinstance(row.answer, dict)
    assert "given up after 3 attempts" in str(row.answer["text"])


async def test_nobody_takes_a_run_whose_process_lives(tmp_path: Path):
    async with held_engine(tmp_path) as (one, model), scripted_engine(Script(), tmp_path) as two:
        asking = await begun(one)
        assert await two.waking.broken_off() == []
        assert await two.wake() == []
        model.released.set()
        assert (await asking).result == 42


async def test_a_process_that_lost_its_run_writes_nothing_more(tmp_path: Path):
    async with (
        held_engine(tmp_path) as (one, model),
        scripted_engine(percent_script(), tmp_path) as two,
    ):
        asking = await begun(one)
        db = services_of(two).records.db
        (job,) = await db.jobs.list(RUN)
        await db.jobs.end_lease(job)  # as if it had hung for longer than its lease
        (answer,) = await two.wake("s")
        model.released.set()
        with pytest.raises(TakenOver):
            await asking
        row = await db.runs.get("r")
        assert (answer.result, row.status) == (42, "done")
        assert await db.paid_steps.of_job(RUN, "r") == []
        assert len(await two.sessions.messages("s", "local")) == 2


async def test_a_run_that_was_cancelled_is_not_continued(tmp_path: Path):
    async with held_engine(tmp_path) as (hs, _):
        asking = await begun(hs)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        db = services_of(hs).records.db
        assert (await db.runs.get("r")).status == "cancelled"
        assert await hs.waking.broken_off() == [] and await db.jobs.list(RUN) == []


async def test_a_run_of_a_process_that_ends_in_peace_is_left_to_the_next(tmp_path: Path):
    async with held_engine(tmp_path) as (hs, _):
        asking = await begun(hs)
        hs.leave_runs()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    async with scripted_engine(percent_script(), tmp_path) as hs:
        (answer,) = await hs.wake("s")
        assert answer.result == 42


async def test_a_run_that_is_continued_waits_for_its_model(tmp_path: Path):
    paid = PaidCalls(dies_at=2)
    await broken_off(tmp_path, paid)
    away = Script(solution=ModelUnavailable("the model is away"))
    async with scripted_engine(away, tmp_path) as hs:
        with pytest.raises(ModelUnavailable):
            await hs.wake("s")
        db = services_of(hs).records.db
        assert (await db.runs.get("r")).status == "running"
        (job,) = await db.jobs.list(RUN)
        assert (job.holder, job.attempts) == ("", 1)


async def test_what_is_private_is_not_stored_and_cannot_be_continued(tmp_path: Path):
    paid = PaidCalls(dies_at=1)
    text = "What is 17.5% of 240, asks ada.lovelace@example.com"
    await broken_off(tmp_path, paid, text)

    async with scripted_engine(percent_script(), tmp_path) as hs:
        db = services_of(hs).records.db
        (job,) = await db.jobs.list(RUN)
        assert "ada" not in str(job.askers)
        assert await hs.wake("s") == []
        row = await db.runs.get("r")

    assert row.status == "failed" and "private" in str(row.answer)


async def test_a_run_of_an_earlier_version_is_told_to_be_broken_off(tmp_path: Path):
    async with scripted_engine(Script(), tmp_path) as hs:
        db, clock = services_of(hs).records.db, services_of(hs).records.clock
        now = clock.now()
        await db.sessions.create("local", "s")
        await db.runs.start("new", "s", "local", "just begun", "t", now)
        long_ago = now.replace(year=now.year - 1)
        await db.runs.start("old", "s", "local", "long ago", "t", long_ago)

        assert await hs.waking.broken_off("local") == []

        assert (await db.runs.get("new")).status == "running"
        old = await db.runs.get("old")
        assert old.status == "failed" and "earlier version" in str(old.answer)


async def test_an_approval_waits_for_its_run_and_lets_it_go_on(tmp_path: Path):
    code = "def keep_number(n: float) -> float:\n    return n\n"
    asked = asyncio.Event()

    async def nobody_decides(approval: Approval) -> None:
        asked.set()
        await asyncio.sleep(600)

    script = Script(arguments='{"n": 4}')
    async with dying(script, tmp_path) as hs:
        await eager(hs)
        number = {"n": {"type": "number"}}
        await add_tool(hs, code, "Keep a number.", number, {"type": "number"}, Effect.WRITES)
        options = AskOptions(run_id="r", on_approval=nobody_decides)
        asking = asyncio.create_task(hs.ask("keep the number 4", session="s", options=options))
        await asked.wait()

        async def nothing(*_: object) -> None:
            return

        hs._answerer._recorder.abandon = nothing  # type: ignore[method-assign]
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    async with scripted_engine(script, tmp_path) as hs:
        (broken,) = await hs.waking.broken_off("local")
        assert broken.waits and await hs.wake("s") == []
        (waiting,) = await hs.approvals.list("local")
        await hs.approvals.give(waiting.id, who="local")
        (answer,) = await hs.wake("s")
        db = services_of(hs).records.db
        events = await db.events.of_run("r")
        assert len(await db.approvals.list("local")) == 1

    assert answer.result == 4 and answer.run_id == "r"
    assert [str(event.kind) for event in events].count("approval_needed") == 1


async def test_plain_reuse_is_neither_stored_before_nor_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(answering, "_RECORDED_AFTER_S", 60)
    code = "def double(n: float) -> float:\n    return 2 * n\n"
    async with scripted_engine(Script(arguments='{"n": 4}'), tmp_path) as hs:
        number = {"n": {"type": "number"}}
        await add_tool(hs, code, "Double a number.", number, {"type": "number"})
        db = services_of(hs).records.db
        held: list[str] = []
        hold = hs._holds.take

        async def noted(stores: object, run: object, task: object) -> object:
            held.append("held")
            return await hold(stores, run, task)  # type: ignore[arg-type]

        hs._holds.take = noted  # type: ignore[method-assign, assignment]
        await hs.run_tool("double", {"n": 4})  # opens the sandbox
        held.clear()
        for number_given in (5, 6):
            answer = await hs.run_tool("double", {"n": number_given})
            assert answer.result == 2 * number_given
        assert held == [] and await db.jobs.list(RUN) == []


async def test_whoever_asked_is_left_alone_once_the_answer_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lease that is lost afterwards, by a machine that slept, must not end the next request."""
    held: list[Run] = []
    begin = RunHolds.begin

    async def noted(holds: RunHolds, run: Run, job: Job) -> None:
        held.append(run)
        assert run.ledger.task is not None
        await begin(holds, run, job)

    monkeypatch.setattr(RunHolds, "begin", noted)
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.ask(REQUEST)
    assert held and all(run.ledger.task is None for run in held)
