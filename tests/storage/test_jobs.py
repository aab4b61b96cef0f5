"""Stored jobs on both databases: one job a key, one holder, nothing lost."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from hammerstone.core.jobs import Asker, Job, JobState
from hammerstone.storage import Database
from tests.hand_clock import HandClock
from tests.storage.samples import ODD_JSON, ODD_TEXT


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


async def put(db: Database, key: str = "k", *names: str) -> None:
    for name in names or ("run",):
        await db.jobs.put("proof", key, Asker(name, {"odd": ODD_JSON}, "s"))


async def claim(db: Database, holder: str = "me", most: int = 5) -> Job | None:
    return await db.jobs.claim("proof", holder, lease_s=60, most=most)


async def claimed(db: Database, holder: str = "me") -> Job:
    job = await claim(db, holder)
    assert job is not None
    return job


async def test_a_job_comes_back_with_all_who_asked(db: Database):
    await put(db, ODD_TEXT, "run 1", "run 2", "run 1")

    job = await claimed(db)

    assert (job.kind, job.key, job.state) == ("proof", ODD_TEXT, JobState.WAITING)
    assert job.askers == tuple(Asker(f"run {n}", {"odd": ODD_JSON}, "s") for n in (1, 2))
    assert (job.holder, job.attempts, job.result, job.progress) == ("me", 1, None, None)


async def test_ten_puts_at_once_are_one_job(pair: tuple[Database, Database]):
    await asyncio.gather(*(put(pair[n % 2], "k", f"run {n}") for n in range(10)))

    (job,) = await pair[0].jobs.list("proof")
    assert sorted(asker.name for asker in job.askers) == sorted(f"run {n}" for n in range(10))


async def test_two_processes_never_hold_one_job(pair: tuple[Database, Database]):
    for number in range(5):
        await put(pair[0], f"k{number}")

    found = await asyncio.gather(*(claim(pair[n % 2], f"holder {n}") for n in range(12)))

    keys = [job.key for job in found if job is not None]
    assert len(keys) == len(set(keys))
    rest = [job.key for _ in range(5) if (job := await claim(pair[0])) is not None]
    assert sorted(keys + rest) == [f"k{number}" for number in range(5)]


async def test_the_oldest_is_claimed_first_and_one_by_its_key(
    pair: tuple[Database, Database], clock: HandClock
):
    for key in ("z", "a", "m"):
        await put(pair[0], key)
        clock.forward(1)

    named = await pair[0].jobs.claim("proof", "me", lease_s=60, key="m")

    assert named is not None and named.key == "m"
    assert [(await claimed(pair[1])).key for _ in range(2)] == ["z", "a"]
    assert await claim(pair[1]) is None
    assert await pair[0].jobs.claim("other kind", "me", lease_s=60) is None


async def test_a_lease_that_ran_out_is_anothers_and_the_former_holder_changes_nothing(
    pair: tuple[Database, Database], clock: HandClock
):
    await put(pair[0])
    dead = await claimed(pair[0], "dead")
    clock.forward(30)
    assert await claim(pair[1], "heir") is None
    assert await pair[0].jobs.renew(dead, 60, {"so": "far"})
    clock.forward(59)
    assert await claim(pair[1], "heir") is None
    clock.forward(1)

    heir = await claimed(pair[1], "heir")

    assert (heir.progress, heir.attempts) == ({"so": "far"}, 2)
    jobs = pair[0].jobs
    assert not await jobs.renew(dead, 60)
    assert not await jobs.settle(dead, "run")
    assert not await jobs.finish(dead, "wrong")
    assert not await jobs.fail(dead, "wrong")
    assert not await jobs.release(dead)
    assert await pair[1].jobs.settle(heir, "run")
    assert await pair[1].jobs.finish(heir, "right")
    done = await jobs.find("proof", "k")
    assert done is not None and (done.state, done.result) == (JobState.DONE, "right")


async def test_a_holder_whose_lease_ran_out_has_lost_it_even_if_nobody_took_it(
    pair: tuple[Database, Database], clock: HandClock
):
    await put(pair[0])
    job = await claimed(pair[0])
    clock.forward(61)

    assert not await pair[0].jobs.finish(job, 1)
    assert (await claimed(pair[1])).key == "k"


async def test_who_asks_while_it_is_worked_on_opens_it_again(db: Database):
    await put(db, "k", "first")
    job = await claimed(db)
    await put(db, "k", "second")

    assert await db.jobs.settle(job, "first") and await db.jobs.finish(job, {"value": 1})

    again = await claimed(db, "other")
    assert [asker.name for asker in again.askers] == ["second"]
    assert again.result == {"value": 1}
    assert await db.jobs.settle(again, "second") and await db.jobs.finish(again, {"value": 1})
    assert await claim(db) is None


async def test_who_asks_after_it_was_done_opens_it_and_asking_again_does_not(db: Database):
    await put(db, "k", "first")
    job = await claimed(db)
    assert await db.jobs.settle(job, "first") and await db.jobs.finish(job, 1)
    await put(db, "k", "first")
    assert await claim(db) is None

    await put(db, "k", "second")

    assert [asker.name for asker in (await claimed(db)).askers] == ["second"]


async def test_an_asker_is_told_once_and_only_if_the_telling_is_kept(db: Database):
    await put(db)
    job = await claimed(db)
    with pytest.raises(RuntimeError):
        async with db.transaction() as stores:
            assert await stores.jobs.settle(job, "run")
            raise RuntimeError("killed")

    assert await db.jobs.settle(job, "run")
    assert not await db.jobs.settle(job, "run")


async def test_a_failed_job_waits_and_is_given_up_after_so_many_attempts(
    pair: tuple[Database, Database], clock: HandClock
):
    db = pair[0]
    await put(db)
    for _ in range(3):
        job = await claim(db, most=3)
        assert job is not None
        assert await db.jobs.fail(job, "the model is away", retry_s=10)
        assert await claim(db, most=3) is None
        clock.forward(10)

    assert await claim(db, most=3) is None
    lost = await db.jobs.find("proof", "k")
    assert lost is not None and lost.state is JobState.FAILED
    assert lost.reason == "given up after 3 attempts: the model is away"
    assert await db.jobs.list("proof", [JobState.WAITING]) == []


async def test_a_failure_without_a_retry_is_final_until_somebody_asks_again(db: Database):
    await put(db)
    assert await db.jobs.fail(await claimed(db), "no way")
    assert await claim(db) is None

    await put(db, "k", "another")

    assert (await claimed(db)).attempts == 1


async def test_what_is_given_back_is_no_attempt(pair: tuple[Database, Database], clock: HandClock):
    await put(pair[0])
    for _ in range(9):
        job = await claim(pair[0], most=2)
        assert job is not None and job.attempts == 1
        assert await pair[0].jobs.release(job, pause_s=5)
        clock.forward(5)


async def test_deleting_a_session_takes_its_askers_and_jobs_of_nobody_else(db: Database):
    await db.sessions.create("person", "s")
    await db.jobs.put("proof", "mine", Asker("run 1", {}, "s"))
    await db.jobs.put("proof", "shared", Asker("run 2", {}, "s"))
    await db.jobs.put("proof", "shared", Asker("run 3", {}, "t"))
    job = await db.jobs.claim("proof", "me", lease_s=60, key="mine")
    assert job is not None

    await db.sessions.delete("s")

    (left,) = await db.jobs.list("proof")
    assert [asker.name for asker in left.askers] == ["run 3"]
    assert not await db.jobs.settle(job, "run 1") and not await db.jobs.finish(job, 1)


async def test_the_job_of_an_asker_is_found_told_or_not(db: Database):
    await put(db, "k", "run")
    job = await claimed(db)
    assert await db.jobs.settle(job, "run") and await db.jobs.finish(job, "well")

    await put(db, "another", "run", "other run")

    told, waiting = await db.jobs.of_asker("proof", "run")

    assert (told.key, told.result, told.askers) == ("k", "well", ())
    assert [asker.name for asker in waiting.askers] == ["run", "other run"]
    assert await db.jobs.of_asker("proof", "nobody") == []


async def test_what_ended_long_ago_is_forgotten_and_what_waits_is_not(
    pair: tuple[Database, Database], clock: HandClock
):
    db = pair[0]
    await put(db, "done", "a")
    job = await claimed(db)
    assert await db.jobs.settle(job, "a") and await db.jobs.finish(job, 1)
    await put(db, "failed", "b")
    assert await db.jobs.fail(await claimed(db), "no way")
    await put(db, "waiting", "c")
    clock.forward(days=2)
    await put(db, "late", "d")
    late = await db.jobs.claim("proof", "me", lease_s=60, key="late")
    assert late is not None and await db.jobs.settle(late, "d") and await db.jobs.finish(late, 1)
    clock.jump(days=-1)
    yesterday = clock.now()

    assert await db.jobs.purge(yesterday) == 2

    assert sorted(one.key for one in await db.jobs.list("proof")) == ["late", "waiting"]
    assert await db.jobs.of_asker("proof", "a") == []
    assert len(await db.jobs.of_asker("proof", "c")) == 1
