"""Mining in step with what happens, on a database of its own."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hammerstone.core.clock import SystemClock
from hammerstone.learn.mining.miner import JOB, Miner
from hammerstone.learn.mining.patterns import PatternBook
from hammerstone.learn.policies import MiningPolicy
from hammerstone.library.graph.edges import Transition
from hammerstone.storage import Database, Execution
from tests.unit.learn.workshop import Workshop, workshop

POLICY = MiningPolicy(settle_s=0.0)
START = datetime.now(UTC) - timedelta(days=1)


async def record(db: Database, run: str, session: str, tools: str, *, ok: bool = True) -> None:
    at = START + timedelta(seconds=int(run[1:]))
    await db.runs.start(run, session, "ada", "again", "trace", at)
    for number, tool in enumerate(tools):
        sources = {"x": {"step": number - 1, "path": ["v"]}} if number else {"x": "request"}
        await db.executions.add(
            Execution(
                id=f"{run}-{number}",
                run_id=run,
                session_id=session,
                number=number,
                tool=tool,
                version_id=tool,
                arguments={"x": 1},
                result={"v": 1},
                ok=ok,
                at=at,
                sources=sources,
            )
        )
    await db.runs.finish(run, "done", None, at)


def miner(shop: Workshop) -> Miner:
    return Miner(shop.db, POLICY, SystemClock())


async def test_what_is_new_is_counted_once_however_often_one_mines(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        for n in range(6):
            await record(shop.db, f"r{n}", f"s{n % 3}", "abc")
        first = await miner(shop).run()
        again = await miner(shop).run()
        await record(shop.db, "r9", "s9", "abc", ok=False)
        more = await miner(shop).run()

        assert [first.runs, again.runs, more.runs] == [6, 0, 1]
        book = PatternBook(shop.db, POLICY)
        (pattern,) = await book.patterns()
        assert (pattern.steps, pattern.kind) == (("a", "b", "c"), "whole")
        assert (pattern.frequency, pattern.sessions) == (7, 4)
        assert pattern.success == 6 / 7
        relations = await book.relationships("a")
        assert [(one.source, one.target) for one in relations] == [("a", "b")]
        assert relations[0].confidence > 0.7


async def test_one_session_a_thousand_times_makes_no_habit(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        for n in range(60):
            await record(shop.db, f"r{n}", "poisoned", "ab")
        await miner(shop).run()
        book = PatternBook(shop.db, POLICY)
        (pattern,) = await book.patterns(min_frequency=1)
        assert (pattern.seen, pattern.frequency, pattern.sessions) == (60, 2, 1)
        assert await book.ripe() == []


async def test_two_miners_at_once_count_nothing_twice(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        for n in range(4):
            await record(shop.db, f"r{n}", f"s{n}", "ab")
        held = await shop.db.leases.take(JOB, "somebody", 60)
        assert held is not None
        assert (await miner(shop).run()).busy
        await shop.db.leases.give_back(held)
        assert (await miner(shop).run()).runs == 4
        (pattern,) = await PatternBook(shop.db, POLICY).patterns()
        assert pattern.seen == 4


async def test_the_skill_graph_hears_of_every_transition(tmp_path: Path):
    heard: list[Transition] = []

    async def observe(transitions: object) -> int:
        heard.extend(transitions)  # type: ignore[arg-type]
        return 0

    async with workshop(tmp_path) as shop:
        await record(shop.db, "r1", "s", "ab")
        await Miner(shop.db, POLICY, SystemClock(), observe).run()
    (transition,) = heard
    assert (transition.source, transition.target, transition.parameter) == ("a", "b", "x")
    assert (transition.path, transition.tenant) == (("v",), "ada")


async def test_a_deleted_session_takes_its_share_with_it(tmp_path: Path):
    async with workshop(tmp_path) as shop:
        for n, session in enumerate(("s", "s", "t")):
            await record(shop.db, f"r{n}", session, "ab")
        await miner(shop).run()
        assert await shop.db.patterns.forget_session("s") > 0
        (pattern,) = await PatternBook(shop.db, POLICY).patterns(min_frequency=1)
        assert (pattern.frequency, pattern.sessions) == (1, 1)
