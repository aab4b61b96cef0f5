import time

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelError, ModelNonsense, ModelRefused, ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers.retry import RetryingModel, RetryRule

QUICK = RetryRule(attempts=3, wait_initial_s=0.01, wait_max_s=0.02, jitter_s=0.01)
HELLO = Prompt.of("s", "hello")


async def test_unavailable_is_tried_again() -> None:
    inner = ScriptedModel([ModelUnavailable("down"), ModelUnavailable("down"), "hi"])
    assert (await RetryingModel(inner, QUICK).complete(HELLO)).text == "hi"
    assert len(inner.prompts) == 3


async def test_the_last_failure_is_raised() -> None:
    inner = ScriptedModel(lambda _: ModelUnavailable("down"))
    with pytest.raises(ModelUnavailable, match="down"):
        await RetryingModel(inner, QUICK).complete(HELLO)
    assert len(inner.prompts) == 3


@pytest.mark.parametrize(
    "error",
    [
        ModelRefused("no"),
        ModelNonsense("what"),
        ModelUnavailable("slow", timeout=True),
        ModelUnavailable("open", breaker=True),
        ModelUnavailable("later", retry_after_s=3600),
    ],
)
async def test_what_is_not_worth_it(error: ModelError) -> None:
    inner = ScriptedModel([error, "hi"])
    with pytest.raises(type(error)):
        await RetryingModel(inner, QUICK).complete(HELLO)
    assert len(inner.prompts) == 1


async def test_the_named_wait_is_obeyed() -> None:
    inner = ScriptedModel([ModelUnavailable("busy", retry_after_s=0.3), "hi"])
    began = time.perf_counter()
    assert (await RetryingModel(inner, QUICK).complete(HELLO)).text == "hi"
    assert time.perf_counter() - began >= 0.3
