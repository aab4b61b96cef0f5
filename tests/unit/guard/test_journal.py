"""The journal of a job: what was paid for comes back, in its place, and nothing private is kept."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.chat import Message, Prompt, Usage
from hammerstone.core.errors import ModelNonsense, StorageError, TakenOver
from hammerstone.core.json_types import Json
from hammerstone.guard import journal as journals
from hammerstone.guard.budget import Budget
from hammerstone.guard.journal import JournaledModel, StepJournal
from hammerstone.models.fakes import ScriptedModel
from hammerstone.storage.stores.runs.paid_steps import PaidStep, StepOwner

OWNER = StepOwner("run", "r", "me", "s")
PROMPT = Prompt((Message("user", "How many?"),), samples=2, temperature=0.7)


class Rows:
    """The stored steps of one job, for whoever does it."""

    def __init__(self) -> None:
        self.kept: list[PaidStep] = []
        self.taken_over = False
        self.away = 0

    async def keep(self, owner: StepOwner, paid: PaidStep) -> bool:
        if self.away:
            self.away -= 1
            raise StorageError("the database server cannot be reached", reason="unreachable")
        if not self.taken_over:
            self.kept.append(paid)
        return not self.taken_over

    async def of_job(self, kind: str, key: str) -> list[PaidStep]:
        return self.kept


def without_secret(value: Json) -> bool:
    return "secret" not in str(value)


def opened(rows: Rows) -> StepJournal:
    return StepJournal(cast(Any, rows), OWNER, without_secret)


async def test_a_reply_is_given_again_and_counts_as_spent():
    rows, budget = Rows(), Budget()
    model = JournaledModel(ScriptedModel([["three", "four"]]), opened(rows), budget)
    first = await model.complete(PROMPT)
    again, pieces = opened(rows), list[tuple[int, str]]()
    await again.load()

    silent = JournaledModel(ScriptedModel([]), again, budget)
    second = await silent.complete(PROMPT, on_token=lambda *piece: pieces.append(piece))

    assert second == first and [sample.text for sample in second.samples] == ["three", "four"]
    assert pieces == [(0, "three"), (1, "four")]
    assert budget.spent == first.usage  # the scripted one is not budgeted: only what comes again
    assert (again.replayed, again.paid_again) == (1, 0)


async def test_equal_prompts_have_places_of_their_own():
    rows = Rows()
    model = JournaledModel(ScriptedModel(["one", "two", "three"]), opened(rows), None)
    prompt = replace(PROMPT, samples=1)
    for _ in range(3):
        await model.complete(prompt)
    del rows.kept[1]  # the second was still on its way when the process ended
    again = opened(rows)
    await again.load()

    asked = ScriptedModel(["another two"])
    second = JournaledModel(asked, again, None)

    texts = [(await second.complete(prompt)).text for _ in range(3)]
    assert texts == ["one", "another two", "three"] and len(asked.prompts) == 1


async def test_what_is_private_is_paid_for_again_and_that_is_known():
    rows = Rows()
    model = JournaledModel(ScriptedModel(["the secret"]), opened(rows), None)
    prompt = replace(PROMPT, samples=1)
    await model.complete(prompt)
    assert "secret" not in str(rows.kept)
    again = opened(rows)
    await again.load()

    reply = await JournaledModel(ScriptedModel(["the secret"]), again, None).complete(prompt)

    assert reply.text == "the secret" and again.paid_again == 1


async def test_nonsense_that_was_paid_for_is_not_asked_for_again():
    rows = Rows()
    schema = {"type": "object", "properties": {}, "required": ["n"]}
    prompt = replace(PROMPT, samples=1, schema=schema)
    wrong = JournaledModel(ScriptedModel(lambda prompt: "no JSON"), opened(rows), None)
    with pytest.raises(ModelNonsense) as first:
        await wrong.complete(prompt)
    again = opened(rows)
    await again.load()
    if not rows.kept:  # a fake that spends nothing on nonsense has nothing to keep
        assert not first.value.data.get("usage")
        return
    with pytest.raises(ModelNonsense) as second:
        await JournaledModel(ScriptedModel([]), again, None).complete(prompt)
    assert second.value.message == first.value.message


async def test_who_lost_the_job_is_told():
    rows = Rows()
    rows.taken_over = True
    model = JournaledModel(ScriptedModel(["one"]), opened(rows), None)
    with pytest.raises(TakenOver):
        await model.complete(replace(PROMPT, samples=1))


async def test_a_database_that_is_away_for_a_moment_costs_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(journals, "_LOOK_S", 0.0)
    rows = Rows()
    rows.away = 3
    model = JournaledModel(ScriptedModel(["one"]), opened(rows), None)
    assert (await model.complete(replace(PROMPT, samples=1))).text == "one"
    assert len(rows.kept) == 1
    rows.away = 1_000
    with pytest.raises(StorageError):
        await JournaledModel(ScriptedModel(["one"]), opened(rows), None).complete(PROMPT)


async def test_what_nobody_asked_for_again_is_known():
    rows = Rows()
    await JournaledModel(ScriptedModel(["one"]), opened(rows), None).complete(
        replace(PROMPT, samples=1)
    )
    again = opened(rows)
    await again.load()
    assert again.unused().calls == 1
    assert again.unused() == Usage()
