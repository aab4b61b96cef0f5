"""Whose job is next: persons take turns, limits hold, unknown forms are left alone."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from hammerstone.core.jobs import Asker, ClaimRule, Job, JobState, QueueCounts, QueuePlace
from hammerstone.storage import Database
from tests.hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def pair(database_url: str, clock: HandClock) -> AsyncIterator[tuple[Database, Database]]:
    """One database as two processes have it open."""
    one = await Database.open_url(database_url, clock=clock)
    two = await Database.open_url(database_url, clock=clock)
    yield one, two
    await one.close()
    await two.close()


async def put(db: Database, key: str, place: QueuePlace) -> None:
    await db.jobs.put("run", key, Asker(key, {}), place)


async def claim(db: Database, holder: str = "w", **limits: Any) -> Job | None:
    return await db.jobs.claim("run", holder, lease_s=60, rule=ClaimRule(**limits))


async def test_one_with_many_jobs_does_not_keep_another_waiting(
    pair: tuple[Database, Database], clock: HandClock
):
    for number in range(20):
        clock.forward(1)
        await put(pair[0], f"many {number:02}", QueuePlace("ann"))
    clock.forward(1)
    await put(pair[0], "one", QueuePlace("bob"))

    taken = [await claim(pair[n % 2]) for n in range(4)]

    assert [job.key for job in taken if job] == ["many 00", "one", "many 01", "many 02"]


async def test_of_those_who_hold_as_many_the_oldest_job_comes_first(
    pair: tuple[Database, Database], clock: HandClock
):
    for key, person in (("a1", "ann"), ("c1", "cy"), ("b1", "bob"), ("a2", "ann"), ("c2", "cy")):
        clock.forward(1)
        await put(pair[0], key, QueuePlace(person))

    taken = [await claim(pair[n % 2]) for n in range(6)]

    assert [job.key if job else None for job in taken] == ["a1", "c1", "b1", "a2", "c2", None]


async def test_a_finished_job_gives_the_person_another_turn(db: Database):
    for key in ("1", "2"):
        await put(db, key, QueuePlace("ann"))
    first = await claim(db, per_person=1)
    assert first is not None
    assert await claim(db, per_person=1) is None

    await db.jobs.settle(first, first.key)
    await db.jobs.finish(first, None)

    again = await claim(db, per_person=1)
    assert again is not None and {first.key, again.key} == {"1", "2"}


async def test_limits_hold_for_persons_models_and_all(db: Database):
    for number in range(6):
        for person in ("ann", "bob"):
            model = "big" if number % 2 else "small"
            await put(db, f"{person} {number}", QueuePlace(person, model))

    held = [await claim(db, per_person=3, per_model=2, in_all=100) for _ in range(9)]
    models = Counter(job.model for job in held if job)
    assert models == {"big": 2, "small": 2}

    more = [await claim(db, per_person=3, in_all=5) for _ in range(3)]
    assert [job is not None for job in more] == [True, False, False]


async def test_a_full_model_does_not_hold_up_jobs_for_another(db: Database, clock: HandClock):
    await put(db, "1", QueuePlace("ann", "big"))
    await put(db, "2", QueuePlace("ann", "big"))
    await put(db, "3", QueuePlace("ann", "small"))

    taken = [await claim(db, per_model=1) for _ in range(3)]

    assert [job.key if job else None for job in taken] == ["1", "3", None]


async def test_limits_hold_while_many_claim_at_once(pair: tuple[Database, Database]):
    for number in range(12):
        await put(pair[0], f"{number}", QueuePlace("ann" if number % 2 else "bob"))

    taken = await asyncio.gather(*(claim(pair[n % 2], f"w{n}", per_person=2) for n in range(12)))

    held = [job for job in taken if job]
    assert Counter(job.person for job in held) == {"ann": 2, "bob": 2}
    assert len({job.key for job in held}) == 4


async def test_a_lease_that_ran_out_counts_no_more(
    pair: tuple[Database, Database], clock: HandClock
):
    await put(pair[0], "1", QueuePlace("ann"))
    await put(pair[0], "2", QueuePlace("ann"))
    assert await claim(pair[0], per_person=1) is not None
    assert await claim(pair[1], per_person=1) is None

    clock.forward(61)

    again = await claim(pair[1], per_person=1)
    assert again is not None and (again.key, again.attempts) == ("1", 2)


async def test_a_form_that_is_not_known_is_left_alone(db: Database):
    await put(db, "new", QueuePlace("ann", form=2))
    await put(db, "old", QueuePlace("ann", form=1))

    assert [job.key if job else None for job in [await claim(db), await claim(db)]] == ["old", None]
    assert await db.jobs.claim("run", "w", lease_s=60, key="new") is None
    newer = await claim(db, form=2)
    assert newer is not None and newer.key == "new"


async def test_one_more_asker_with_a_newer_form_raises_the_form(db: Database):
    await put(db, "k", QueuePlace("ann"))
    await db.jobs.put("run", "k", Asker("second", {}), QueuePlace("bob", form=2))

    assert await claim(db) is None
    job = await claim(db, form=2)
    assert job is not None and (job.person, job.form) == ("ann", 2)


async def test_what_waits_and_is_held_is_counted(pair: tuple[Database, Database], clock: HandClock):
    for number in range(3):
        await put(pair[0], f"a{number}", QueuePlace("ann"))
    await put(pair[0], "b", QueuePlace("bob"))
    await claim(pair[0])

    counts = await pair[1].jobs.counts("run", "ann")
    assert counts == QueueCounts(waiting=3, held=1, waiting_of_person=2, held_of_person=1)
    clock.forward(61)
    assert await pair[1].jobs.counts("run") == QueueCounts(waiting=4)
    assert await pair[1].jobs.counts("proof") == QueueCounts()


async def test_a_poisoned_job_is_put_aside_after_three_holders_died(
    pair: tuple[Database, Database], clock: HandClock
):
    await put(pair[0], "poison", QueuePlace("ann"))
    clock.forward(1)
    await put(pair[0], "fine", QueuePlace("bob"))
    for number in range(3):
        job = await pair[number % 2].jobs.claim(
            "run", f"w{number}", lease_s=60, most=3, key="poison"
        )
        assert job is not None and job.attempts == number + 1
        clock.forward(61)

    following = await pair[0].jobs.claim("run", "w", lease_s=60, most=3)

    assert following is not None and following.key == "fine"
    poisoned = await pair[0].jobs.find("run", "poison")
    assert poisoned is not None and poisoned.state is JobState.FAILED
    assert poisoned.reason == "given up after 3 attempts: none of them finished"


async def test_a_holder_that_hung_changes_nothing_afterwards(
    pair: tuple[Database, Database], clock: HandClock
):
    await put(pair[0], "k", QueuePlace("ann"))
    hung = await claim(pair[0], "hung")
    assert hung is not None
    clock.forward(61)
    other = await claim(pair[1], "other")
    assert other is not None

    said = [
        await pair[0].jobs.renew(hung, 60),
        await pair[0].jobs.settle(hung, "k"),
        await pair[0].jobs.finish(hung, "late"),
        await pair[0].jobs.fail(hung, "late"),
        await pair[0].jobs.release(hung),
    ]

    assert said == [False] * 5
    now = await pair[1].jobs.find("run", "k")
    assert now is not None and (now.holder, now.result) == ("other", None)
    assert now.until == clock.now() + timedelta(seconds=60)
