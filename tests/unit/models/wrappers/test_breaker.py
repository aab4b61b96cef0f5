import asyncio
import contextlib
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelRefused, ModelUnavailable
from hammerstone.core.json_types import JsonObject
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.wrappers.breaker import Breaker, GuardedModel, MemoryBreakers

HELLO = Prompt.of("s", "hello")


class HandClock:
    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def elapsed_s(self) -> float:
        return self.time.timestamp()

    def forward(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


async def fail(model: GuardedModel, times: int) -> None:
    for _ in range(times):
        with pytest.raises(ModelUnavailable):
            await model.complete(HELLO)


async def test_opens_after_five_failures_and_probes_after_a_minute() -> None:
    clock = HandClock()
    inner = ScriptedModel([ModelUnavailable("down")] * 6 + ["back", "and well"])
    breaker = Breaker("m", clock=clock)
    model = GuardedModel(inner, breaker)
    await fail(model, 5)
    assert await breaker.phase() == "open"
    await fail(model, 3)
    assert len(inner.prompts) == 5, "an open breaker asks nobody"
    clock.forward(61)
    assert await breaker.phase() == "half_open"
    await fail(model, 2)
    assert len(inner.prompts) == 6, "one probe, and its failure opens again"
    clock.forward(61)
    assert (await model.complete(HELLO)).text == "back"
    assert await breaker.phase() == "closed"
    assert (await model.complete(HELLO)).text == "and well"


async def test_says_how_long_and_that_it_is_the_breaker() -> None:
    clock = HandClock()
    model = GuardedModel(
        ScriptedModel(lambda _: ModelUnavailable("down")), Breaker("m", clock=clock)
    )
    await fail(model, 5)
    clock.forward(20)
    with pytest.raises(ModelUnavailable) as caught:
        await model.complete(HELLO)
    assert caught.value.data == {"breaker": True, "retry_after_s": pytest.approx(40)}


async def test_success_in_between_starts_the_count_anew() -> None:
    down = ModelUnavailable("down")
    model = GuardedModel(ScriptedModel([down] * 4 + ["hi"] + [down] * 4), Breaker("m"))
    await fail(model, 4)
    await model.complete(HELLO)
    await fail(model, 4)
    assert await model.breaker.phase() == "closed"


async def test_refusals_do_not_open() -> None:
    model = GuardedModel(ScriptedModel([ModelRefused("no")] * 9), Breaker("m"))
    for _ in range(9):
        with pytest.raises(ModelRefused):
            await model.complete(HELLO)
    assert await model.breaker.phase() == "closed"


async def test_only_one_probe_at_a_time_and_a_cancelled_one_frees_its_place() -> None:
    clock = HandClock()
    lines = iter([ModelUnavailable("down")] * 5 + ["slow\n" * 2000, "back"])
    inner = ScriptedModel(lambda _: next(lines), seconds_per_piece=0.01)
    model = GuardedModel(inner, Breaker("m", clock=clock))
    await fail(model, 5)
    clock.forward(61)
    probe = asyncio.create_task(model.complete(HELLO))
    await asyncio.sleep(0.05)
    await fail(model, 1)
    assert len(inner.prompts) == 6
    probe.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await probe
    assert (await model.complete(HELLO)).text == "back"


async def test_state_outlives_the_process() -> None:
    clock, store = HandClock(), MemoryBreakers()
    down = ScriptedModel(lambda _: ModelUnavailable("down"))
    await fail(GuardedModel(down, Breaker("m", store, clock)), 5)
    later = ScriptedModel(["never asked"])
    await fail(GuardedModel(later, Breaker("m", store, clock)), 1)
    assert later.prompts == []


@pytest.mark.parametrize("stored", [{"shape": "of another version"}, {}])
async def test_foreign_state_counts_as_none(stored: JsonObject) -> None:
    store = MemoryBreakers()
    await store.save("m", stored)
    assert await Breaker("m", store).phase() == "closed"


async def test_a_clock_set_back_does_not_lock() -> None:
    clock = HandClock()
    model = GuardedModel(
        ScriptedModel([ModelUnavailable("down")] * 5 + ["hi"]), Breaker("m", clock=clock)
    )
    await fail(model, 5)
    clock.forward(-86_400)
    assert (await model.complete(HELLO)).text == "hi"


async def test_a_refusal_names_the_cause_and_when_it_is_tried_again() -> None:
    store, clock = MemoryBreakers(), HandClock()
    down = [ModelUnavailable(f"small: answered 503 for key sk-proj-{'a1B2' * 8}\n")] * 5
    await fail(GuardedModel(ScriptedModel(down), Breaker("m", store, clock)), 5)
    again = GuardedModel(ScriptedModel([]), Breaker("m", store, clock))
    clock.forward(18)
    with pytest.raises(ModelUnavailable) as refused:
        await again.complete(HELLO)
    assert refused.value.message.endswith(
        "failed 5 times in a row (the last error: small: answered 503 for key [api-key]); "
        "it is tried again in 42 s"
    )
    assert await again.breaker.wait_s() == 42
    clock.forward(42)
    assert await again.breaker.wait_s() == 0
