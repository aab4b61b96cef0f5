"""Services that fail are left alone, whoever notices, and tried again."""

import asyncio
from pathlib import Path

import pytest

from hammerstone.core.errors import Refused
from hammerstone.guard.services import ServiceBreakers, ServicePolicy
from hammerstone.storage import Database
from tests.hand_clock import HandClock

ONCE = ServicePolicy(attempts=1)


class Down(Exception):
    pass


async def down() -> str:
    raise Down


async def up() -> str:
    return "page"


@pytest.fixture
async def db(tmp_path: Path):
    database = await Database.open_url(f"sqlite:///{tmp_path}/b.db")
    yield database
    await database.close()


async def fail(breakers: ServiceBreakers, service: str, times: int) -> None:
    for _ in range(times):
        with pytest.raises(Down):
            await breakers.call(service, down, transient=(Down,))


@pytest.mark.parametrize(
    ("service", "limit", "rest_s"), [("mcp:files", 5, 60), ("search:web", 3, 30)]
)
async def test_a_service_rests_after_failures(
    db: Database, service: str, limit: int, rest_s: float
):
    clock = HandClock()
    breakers = ServiceBreakers(db.breakers, clock, lambda: ONCE)
    await fail(breakers, service, limit)
    with pytest.raises(Refused, match=r"times in a row .*tried again in") as refused:
        await breakers.call(service, up, transient=(Down,))
    assert refused.value.data["rule"] == "breaker"
    clock.forward(rest_s - 1)
    with pytest.raises(Refused):
        await breakers.call(service, up, transient=(Down,))
    clock.forward(2)
    assert await breakers.call(service, up, transient=(Down,)) == "page"
    assert await breakers.of(service).phase() == "closed"


async def test_another_process_knows_of_the_outage(db: Database):
    clock = HandClock()
    await fail(ServiceBreakers(db.breakers, clock, lambda: ONCE), "mcp:files", 5)
    restarted = ServiceBreakers(db.breakers, clock, lambda: ONCE)
    assert await restarted.stored() == ["mcp:files"]
    with pytest.raises(Refused):
        await restarted.call("mcp:files", up, transient=(Down,))


async def test_a_moment_of_trouble_is_tried_again(db: Database):
    tries = 0

    async def flaky() -> str:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise Down
        return "page"

    quick = ServicePolicy(first_wait_s=0.001, longest_wait_s=0.002)
    breakers = ServiceBreakers(db.breakers, HandClock(), lambda: quick)
    assert await breakers.call("mcp:files", flaky, transient=(Down,)) == "page"
    assert tries == 3
    tries = 0
    with pytest.raises(Down):
        await breakers.call("mcp:files", flaky, transient=(Down,), again=False)
    assert tries == 1


async def test_an_answer_one_does_not_like_is_no_outage(db: Database):
    breakers = ServiceBreakers(db.breakers, HandClock(), lambda: ONCE)

    async def refuses() -> str:
        raise ValueError("no such page")

    for _ in range(10):
        with pytest.raises(ValueError, match="no such page"):
            await breakers.call("pages:x", refuses, transient=(Down,))
    assert await breakers.of("pages:x").phase() == "closed"


async def test_a_cancelled_probe_leaves_its_place(db: Database):
    clock = HandClock()
    breakers = ServiceBreakers(db.breakers, clock, lambda: ONCE)
    await fail(breakers, "search:web", 3)
    clock.forward(31)
    started = asyncio.Event()

    async def slow() -> str:
        started.set()
        await asyncio.sleep(30)
        return ""

    probe = asyncio.create_task(breakers.call("search:web", slow, transient=(Down,)))
    await started.wait()
    with pytest.raises(Refused):  # one probe at a time
        await breakers.call("search:web", up, transient=(Down,))
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    assert await breakers.call("search:web", up, transient=(Down,)) == "page"
