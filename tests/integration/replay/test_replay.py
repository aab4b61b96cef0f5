"""A trace run again: the same, or where it differs, without asking a model."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Effect
from tests.integration.eager import eager
from tests.integration.engine import Script, add_tool, scripted_engine, services_of

NUMBER = {"n": {"type": "number", "description": "a number"}}
SQUARE = "def square_it(n: float) -> float:\n    return n * n\n"
CUBE = "def square_it(n: float) -> float:\n    return n * n * n\n"
HALF = "def halve_it(n: float) -> float:\n    return n / 2\n"


def script() -> Script:
    return Script(arguments='{"n": 6}', fit='{"fits": true}')


async def square(hs: Hammerstone, code: str = SQUARE):
    await eager(hs)
    return await add_tool(hs, code, "Square a number.", NUMBER, {"type": "number"})


async def test_the_same_trace_again_without_a_model(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await square(hs)
        answer = await hs.ask("square it: the number 6")
        assert answer.result == 36
    silent = Script()  # raises on whatever a model is asked
    async with scripted_engine(silent, tmp_path) as hs:
        again = await hs.traces.replay(answer.trace_id[:10])
        assert again.same
        assert again.answer == 36
        (step,) = again.steps
        assert (step.tool, step.version, step.made) == ("square_it", 1, True)
        assert silent.asked == []


async def test_another_version_shows_the_first_difference(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await square(hs)
        answer = await hs.ask("square it: the number 6")
        await square(hs, CUBE)
        assert (await hs.traces.replay(answer.trace_id)).same  # the version that was used
        other = await hs.traces.replay(answer.trace_id, version=2)
        assert other.difference == "step 1, square_it (v2): was 36, is 216"
        with pytest.raises(NotFound, match="no version 9"):
            await hs.traces.replay(answer.trace_id, version=9)
        with pytest.raises(NotFound, match="does not call"):
            await hs.traces.replay(answer.trace_id, tool="other", version=1)


async def test_a_difference_travels_to_later_steps(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await square(hs)
        await add_tool(hs, HALF, "Halve a number.", NUMBER, {"type": "number"})
        first = await hs.run_tool("square_it", {"n": 6}, session="s")
        await square(hs, CUBE)
        calls = await services_of(hs).records.db.executions.of_run(first.run_id)
        from dataclasses import replace

        second = replace(
            calls[0],
            id="second",
            number=2,
            tool="halve_it",
            version_id=(await hs.tools.get("halve_it")).version.id,
            arguments={"n": 36.0},
            result=18.0,
            sources={"n": {"step": 1, "path": []}},
        )
        await services_of(hs).records.db.executions.add(second)
        same = await hs.traces.replay(first.trace_id)
        assert [step.replayed for step in same.steps] == [36, 18]
        other = await hs.traces.replay(first.trace_id, tool="square_it", version=2)
        assert [step.replayed for step in other.steps] == [216, 108]
        assert [step.same for step in other.steps] == [False, False]
        assert other.difference.startswith("step 1, square_it (v2)")
        with pytest.raises(NotFound, match="several tools"):
            await hs.traces.replay(first.trace_id, version=2)


async def test_failures_are_compared_too(tmp_path: Path):
    code = "def invert_it(n: float) -> float:\n    return 1 / n\n"
    async with scripted_engine(script(), tmp_path) as hs:
        await add_tool(hs, code, "Invert a number.", NUMBER, {"type": "number"})
        failed = await hs.run_tool("invert_it", {"n": 0}, session="s")
        assert failed.status == "failed"
        again = await hs.traces.replay(failed.trace_id)
        assert again.same
        assert "ZeroDivisionError" in json.dumps(again.steps[0].replayed)
        mended = "def invert_it(n: float) -> float:\n    return 1 / n if n else 0.0\n"
        await add_tool(hs, mended, "Invert a number.", NUMBER, {"type": "number"})
        assert not (await hs.traces.replay(failed.trace_id, version=2)).same


async def test_what_writes_or_was_scrubbed_is_not_called_again(tmp_path: Path):
    text = {"text": {"type": "string"}}
    code = "def count_letters(text: str) -> int:\n    return len(text)\n"
    async with scripted_engine(script(), tmp_path) as hs:
        await add_tool(hs, code, "Count letters.", text, {"type": "integer"})
        answer = await hs.run_tool("count_letters", {"text": "mail ada@example.com now"})
        again = await hs.traces.replay(answer.trace_id)
        assert not again.steps[0].made
        assert "private value was removed" in again.steps[0].note
        keep = "def keep_it(text: str) -> str:\n    return text\n"
        await add_tool(hs, keep, "Keep it.", text, {"type": "string"}, Effect.WRITES)

        async def yes(asked: object) -> bool:
            return True

        await hs.policies.change("maturity", {"level": 4}, who="test", why="ask")
        waiting = await hs.run_tool("keep_it", {"text": "tea"})
        assert waiting.status == "failed"
        (asked,) = await hs.approvals.list()
        await hs.approvals.give(asked.id, who="local")
        wrote = await hs.run_tool("keep_it", {"text": "tea"})
        again = await hs.traces.replay(wrote.trace_id)
        assert not again.steps[0].made
        assert "changes something outside" in again.steps[0].note


async def test_two_traces_beside_each_other(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await square(hs)
        one = await hs.run_tool("square_it", {"n": 6}, session="s")
        two = await hs.run_tool("square_it", {"n": 7}, session="t")
        assert (await hs.traces.compare(one.trace_id, one.trace_id)).same
        diff = await hs.traces.compare(one.trace_id, two.trace_id)
        assert (diff.what, diff.left, diff.right) == ("input", {"n": 6}, {"n": 7})
        assert diff.costs[0]["tool_calls"] == 1
        with pytest.raises(NotFound):
            await hs.traces.compare(one.trace_id, "ffff0000ffff")
        with pytest.raises((BadRequest, NotFound)):
            await hs.traces.compare("", one.trace_id)


async def test_statistics_count_what_the_traces_hold(tmp_path: Path):
    async with scripted_engine(script(), tmp_path) as hs:
        await square(hs)
        for number in range(5):
            await hs.run_tool("square_it", {"n": number}, session="s")
        stats = json.dumps(await hs.stats())
        assert "square_it" in stats
        traces = services_of(hs).records.db.traces
        everything = [row async for row in traces.since((await hs.traces.list())[-1].started_at, 2)]
        assert len(everything) == 5
        assert all(spans and spans[0].input is None for _, spans in everything)
        empty = [row async for row in traces.since((await hs.traces.list())[0].started_at)]
        assert len(empty) == 1


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import asyncio

    from hammerstone.serve.cli.main import app

    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")

    async def prepare() -> str:
        async with scripted_engine(script(), tmp_path) as hs:
            await square(hs)
            answer = await hs.run_tool("square_it", {"n": 6})
            await square(hs, CUBE)
            return answer.trace_id

    trace = asyncio.run(prepare())
    run = CliRunner().invoke
    same = run(app, ["traces", "replay", trace, "--json"])
    assert same.exit_code == 0, same.output
    assert json.loads(same.stdout)["same"] is True
    other = run(app, ["traces", "replay", trace[:12], "--tool-version", "2"])
    assert other.exit_code == 1
    assert "was 36, is 216" in other.stdout
    compared = run(app, ["traces", "compare", trace, trace])
    assert compared.exit_code == 0
    assert "The same steps" in compared.stdout
