"""Fallback and cheap-first."""

import json

import pytest

from hammerstone.core.chat import Prompt, Usage
from hammerstone.core.errors import ModelMissing, ModelNonsense, ModelRefused, ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers.fallback import CheapFirstModel, FallbackModel

HELLO = Prompt.of("s", "hello")
NUMBER = Prompt.of("s", "a number", schema={"type": "integer"})


@pytest.mark.parametrize("error", [ModelUnavailable("x"), ModelRefused("x"), ModelMissing("x")])
async def test_the_next_one_answers(error: Exception) -> None:
    second = ScriptedModel(["from the second"], name="second")
    reply = await FallbackModel([ScriptedModel([error]), second]).complete(HELLO)
    assert (reply.text, reply.model) == ("from the second", "second")


async def test_the_second_is_not_asked_without_need() -> None:
    second = ScriptedModel([])
    assert (await FallbackModel([ScriptedModel(["hi"]), second]).complete(HELLO)).text == "hi"
    assert second.prompts == []


async def test_fallback_keeps_nonsense_to_itself() -> None:
    with pytest.raises(ModelNonsense):
        await FallbackModel([ScriptedModel(["no number"]), ScriptedModel(["1"])]).complete(NUMBER)


async def test_all_fail() -> None:
    model = FallbackModel(
        [ScriptedModel([ModelUnavailable("first")]), ScriptedModel([ModelRefused("second")])]
    )
    with pytest.raises(ModelUnavailable, match="first") as caught:
        await model.complete(HELLO)
    assert caught.value.data["others"] == ["second"]


async def test_invalid_output_escalates_and_is_paid_for() -> None:
    cheap = ScriptedModel(["not a number"], name="cheap")
    strong = ScriptedModel(["42"], name="strong")
    reply = await CheapFirstModel([cheap, strong]).complete(NUMBER)
    assert (json.loads(reply.text), reply.model) == (42, "strong")
    assert reply.usage.calls == 2, "what the cheap one wasted is counted"


async def test_escalation_ends_with_the_strongest_ones_error() -> None:
    model = CheapFirstModel([ScriptedModel(["a"], name="cheap"), ScriptedModel(["b"], name="big")])
    with pytest.raises(ModelNonsense, match="big") as caught:
        await model.complete(NUMBER)
    spent = caught.value.data["usage"]
    assert isinstance(spent, Usage) and spent.calls == 2
