"""Every run says what it was done with: models, prompts, policies, tools."""

from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import ModelError
from hammerstone.core.run_record import RunRecord
from hammerstone.prompts import shipped_text
from tests.integration.engine import add_tool, percent_script, scripted_engine, services_of

DOUBLE = "def double(n):\n    return n * 2\n"


async def record_of(hs: Hammerstone, run_id: str) -> RunRecord:
    await hs.traces.list()  # everything answered so far is recorded
    row = await services_of(hs).records.db.runs.get(run_id)
    found = RunRecord.from_json(row.record)
    assert found is not None
    return found


async def test_a_solved_request_says_models_prompts_and_policies(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.policies.change("fit", {"high": 0.9}, who="ada", why="trying")
        answer = await hs.ask("What is 17.5% of 240?")
        record = await record_of(hs, answer.run_id)
        row, _spans = await hs.traces.get(answer.trace_id)
        assert await hs.traces.record(row) == record
    assert record.kind == "calculation" and record.strategy == answer.strategy == "solving"
    assert record.models == ("scripted",) and "solve" in record.prompts
    assert record.prompts["solve"].version == 1 and len(record.prompts["solve"].hash) == 16
    assert record.policies == {"fit": 1} and record.release
    assert record.model_calls == answer.cost.model_calls >= 1 and record.tokens > 0
    assert record.variants == {} and not record.cached


async def test_a_reused_tool_is_named_and_no_prompt_was_sent(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        number = {"n": {"type": "number"}}
        tool = await add_tool(hs, DOUBLE, "Double a number.", number, {"type": "number"})
        first = await hs.run_tool("double", {"n": 4})
        record = await record_of(hs, first.run_id)
    assert [(one.name, one.version_id) for one in record.tools] == [("double", tool.version.id)]
    assert record.prompts == {} and record.models == () and record.model_calls == 0


async def test_a_repeated_answer_says_that_it_comes_from_the_cache(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.ask("What is 17.5% of 240?")
        again = await hs.ask("What is 17.5% of 240?")
        record = await record_of(hs, again.run_id)
    assert again.cached and record.cached and record.model_calls == 0
    assert record.prompts == {}  # those of the first run are not counted again


async def test_a_prompt_of_ones_own_has_its_round(tmp_path: Path) -> None:
    from hammerstone.library.prompting.prompt_shelf import OwnPrompts

    async with scripted_engine(percent_script(), tmp_path) as hs:
        prompts = OwnPrompts(hs.policies)
        text = shipped_text("solve") + "\n"
        for number in (1, 2):
            await prompts.set("solve", text + " " * number, who="ada", why="trying")
        mine = await record_of(hs, (await hs.ask("What is 17.5% of 240?")).run_id)
        await prompts.reset("solve", who="ada")
        shipped = await record_of(hs, (await hs.ask("What is 18.5% of 240?")).run_id)
    assert mine.prompts["solve"].round == 2 == mine.prompt_round
    assert shipped.prompts["solve"].round == 0 and "prompt/solve" not in shipped.policies


async def test_a_run_that_breaks_off_keeps_what_is_known(tmp_path: Path) -> None:
    script = percent_script(solution=ModelError("the model is gone"))
    async with scripted_engine(script, tmp_path) as hs:
        await hs.policies.change("fit", {"high": 0.9}, who="ada", why="trying")
        with pytest.raises(ModelError):
            await hs.ask("What is 17.5% of 240?")
        last = await services_of(hs).records.db.runs.last_of(hs.settings.user)
    assert last is not None and last.status == "failed"
    record = RunRecord.from_json(last.record)
    assert record is not None and record.policies == {"fit": 1} and "solve" in record.prompts
