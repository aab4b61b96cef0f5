"""Meter, budget and reply cache."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hammerstone.core.chat import Prompt, Reply, Sample, Usage
from hammerstone.core.errors import BudgetExceeded, ModelNonsense, ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers.cache import CachedModel, ReplyCache
from hammerstone.models.wrappers.meter import BudgetedModel, Meter, MeteredModel, price_usd

HELLO = Prompt.of("s", "hello")
NUMBER = Prompt.of("s", "a number", schema={"type": "integer"})
THOUSAND = Usage(prompt_tokens=1_000_000, cached_tokens=500_000, output_tokens=100_000, calls=1)


def said(usage: Usage, model: str) -> ScriptedModel:
    return ScriptedModel([Reply((Sample("hi"),), usage, model)], name=model)


async def test_price_of_a_known_model() -> None:
    meter = Meter()
    model = MeteredModel(said(THOUSAND, "gpt-4.1-mini"), meter, "openai")
    reply = await model.complete(HELLO)
    # Listed: 0.40 USD per million read, 0.10 from cache, 1.60 written.
    assert reply.usage.usd == pytest.approx(0.2 + 0.05 + 0.16)
    assert reply.usage.seconds > 0
    assert meter.readings["gpt-4.1-mini"].usage.usd == reply.usage.usd


@pytest.mark.parametrize("provider", ["openai", "", "nobody"])
async def test_unknown_price_is_zero_and_said(provider: str) -> None:
    meter = Meter()
    reply = await MeteredModel(said(THOUSAND, "mystery-9000"), meter, provider).complete(HELLO)
    assert reply.usage.usd == 0
    assert meter.readings["mystery-9000"].unpriced_calls == 1
    assert price_usd(provider, "mystery-9000", THOUSAND) is None


async def test_a_local_model_is_free_and_not_unpriced() -> None:
    meter = Meter()
    await MeteredModel(said(THOUSAND, "local"), meter, None).complete(HELLO)
    assert (meter.of("local").usage.usd, meter.of("local").unpriced_calls) == (0, 0)


async def test_failures_are_counted_with_what_they_spent() -> None:
    meter = Meter()
    model = MeteredModel(ScriptedModel(["no number", ModelUnavailable("down")]), meter)
    with pytest.raises(ModelNonsense):
        await model.complete(NUMBER)
    with pytest.raises(ModelUnavailable):
        await model.complete(HELLO)
    reading = meter.of("scripted")
    assert (reading.replies, reading.failures, reading.usage.calls) == (0, 2, 1)


class Purse:
    def __init__(self, calls: int) -> None:
        self.left = calls
        self.held = 0
        self.spent = Usage()

    @contextmanager
    def reserve(self, tokens: int = 0, calls: int = 1) -> Iterator[None]:
        if calls + self.held > self.left:
            raise BudgetExceeded("empty")
        self.held += calls
        try:
            yield
        finally:
            self.held -= calls

    def spend(self, usage: Usage) -> None:
        self.left -= usage.calls
        self.spent += usage


async def test_budget_refuses_before_the_call() -> None:
    inner, purse = ScriptedModel(lambda _: "hi"), Purse(3)
    model = BudgetedModel(inner, purse)
    await model.complete(HELLO)
    await model.complete(Prompt.of("s", "x", samples=2))
    with pytest.raises(BudgetExceeded):
        await model.complete(HELLO)
    assert len(inner.prompts) == 2
    assert purse.spent.output_tokens > 0


async def test_calls_side_by_side_cannot_pass_the_limit_together() -> None:
    model = BudgetedModel(ScriptedModel(lambda _: "hi", seconds_per_piece=0.01), Purse(2))
    results = await asyncio.gather(
        *(model.complete(HELLO) for _ in range(4)), return_exceptions=True
    )
    assert sum(isinstance(result, BudgetExceeded) for result in results) == 2


async def test_a_useless_answer_is_spent_too() -> None:
    purse = Purse(5)
    with pytest.raises(ModelNonsense):
        await BudgetedModel(ScriptedModel(["no number"]), purse).complete(NUMBER)
    assert purse.left == 4


async def test_repeated_deterministic_call_is_free() -> None:
    inner, cache = ScriptedModel(["first", "second"]), ReplyCache()
    model = CachedModel(inner, cache)
    pieces: list[str] = []
    assert (await model.complete(HELLO)).usage.calls == 1
    again = await model.complete(HELLO, on_token=lambda _, piece: pieces.append(piece))
    assert (again.text, again.usage) == ("first", Usage())
    assert pieces == ["first"]
    assert cache.hits == 1
    assert (await model.complete(Prompt.of("s", "other"))).text == "second"


async def test_what_is_not_deterministic_is_asked_again() -> None:
    model = CachedModel(ScriptedModel(["a", "b", "c"]), ReplyCache())
    warm = Prompt.of("s", "hello", temperature=0.7)
    seeded = Prompt.of("s", "hello", temperature=0.7, seed=1)
    assert [(await model.complete(p)).text for p in (warm, warm, seeded, seeded)] == [
        "a",
        "b",
        "c",
        "c",
    ]


async def test_failures_are_not_kept_and_old_entries_leave() -> None:
    model = CachedModel(
        ScriptedModel([ModelUnavailable("down"), "a", "b", "a again"]), ReplyCache(entries=1)
    )
    with pytest.raises(ModelUnavailable):
        await model.complete(HELLO)
    other = Prompt.of("s", "other")
    texts = [(await model.complete(p)).text for p in (HELLO, other, HELLO)]
    assert texts == ["a", "b", "a again"]
