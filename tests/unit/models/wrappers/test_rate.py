"""A model's shared rate: it waits for its place, tells who would wait too long, counts truly."""

import asyncio

import pytest

from hammerstone.core.chat import Message, Prompt
from hammerstone.core.errors import ModelRefused, ModelUnavailable
from hammerstone.core.settings import ModelLimits
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers.rate import RateLimitedModel
from hammerstone.models.wrappers.retry import RetryingModel

PROMPT = Prompt((Message("user", "x" * 400),), purpose="p", max_tokens=100)


class Buckets:
    """Notes what is taken and given back, and tells waits that it was given."""

    def __init__(self, *waits: float) -> None:
        self._waits = [*waits]
        self.taken: list[tuple[str, float]] = []
        self.back: list[tuple[str, float]] = []

    async def take(self, name: str, amount: float, per_minute: float, longest_s: float) -> float:
        self.taken.append((name, amount))
        return self._waits.pop(0)

    async def give_back(self, name: str, amount: float) -> None:
        self.back.append((name, amount))


def limited(buckets: Buckets, model: ScriptedModel, **limits: float) -> RateLimitedModel:
    return RateLimitedModel(model, "m", buckets, ModelLimits(**limits))


async def test_requests_and_tokens_are_counted_and_set_right():
    buckets = Buckets(0, 0)
    model = limited(
        buckets, ScriptedModel(["12345678"]), requests_per_minute=5, tokens_per_minute=1000
    )
    await model.complete(PROMPT)

    assert buckets.taken == [("m requests", 1.0), ("m tokens", 200.0)]
    assert buckets.back == [("m tokens", 200.0 - 100 - 2)]


async def test_it_waits_for_the_longer_of_both():
    loop = asyncio.get_running_loop()
    model = limited(
        Buckets(0.05, 0.2), ScriptedModel(["a"]), requests_per_minute=1, tokens_per_minute=1
    )
    began = loop.time()
    await model.complete(PROMPT)
    assert loop.time() - began >= 0.2


async def test_who_would_wait_too_long_is_told_and_what_was_taken_is_given_back():
    buckets = Buckets(0, 99)
    inner = ScriptedModel(["a"])
    model = RetryingModel(limited(buckets, inner, requests_per_minute=5, tokens_per_minute=7))
    with pytest.raises(ModelUnavailable, match=r"limit of 7 tokens a minute.*in 99 s") as told:
        await model.complete(PROMPT)

    assert told.value.data["retry_after_s"] == 99 and "FALLBACK" in told.value.hint
    assert buckets.back == [("m requests", 1.0)] and inner.prompts == []


async def test_a_wait_that_is_cancelled_gives_its_place_back():
    buckets = Buckets(20)
    task = asyncio.create_task(
        limited(buckets, ScriptedModel(["a"]), requests_per_minute=1).complete(PROMPT)
    )
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert buckets.back == [("m requests", 1.0)]


async def test_a_call_that_failed_was_made():
    buckets = Buckets(0)
    model = limited(buckets, ScriptedModel([ModelRefused("no")]), requests_per_minute=1)
    with pytest.raises(ModelRefused):
        await model.complete(PROMPT)
    assert buckets.back == []
