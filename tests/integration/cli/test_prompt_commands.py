"""`hammerstone prompts` and `hammerstone model adapters` from the terminal."""

import asyncio
import json
import os
import re
from pathlib import Path

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked
from hammerstone.prompts import instructions, shipped_text, with_instructions
from tests.forked_commands import run_command
from tests.integration.evolution.evolving import times_suite
from tests.unit.models.local.test_adapters import gguf

RULE = "Multiply where the request says times."


def says(asked: Asked) -> str:
    """A model that multiplies when it is told to; the weak one never does."""
    found = re.search(r"What is (\d+) times (\d+)\?", asked.text)
    if found is None:
        return "{}"
    sign = "*" if RULE in asked.system and asked.model == "strong" else "+"
    call = f"work({found[1]}, {found[2]})"
    return f"```python\ndef work(a, b):\n    return a {sign} b\n\nanswer = {call}\n```"


async def run(data: Path, *words: str, url: str = "http://127.0.0.1:1") -> tuple[int, str, str]:
    env = {
        **os.environ,
        "HAMMERSTONE_DATA_DIR": str(data),
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "k",
        "HAMMERSTONE_EMBEDDER": "off",
        "HAMMERSTONE_STARTER_TOOLS": "0",
    }
    done = await asyncio.to_thread(lambda: run_command(*words, env=env))
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


async def test_a_text_is_added_tried_with_two_models_put_in_use_and_taken_back(
    proved_folder: Path,
) -> None:
    times_suite(proved_folder, cases=8)
    start = shipped_text("solve")
    text = proved_folder / "mine.md"
    text.write_text(with_instructions(start, f"{instructions(start)}\n{RULE}"))
    endpoint = FaultyEndpoint(says)

    async def prompts(*words: str) -> str:
        code, out, errors = await run(proved_folder, "prompts", *words, url=endpoint.url)
        assert code == 0, (words, out, errors)
        return out

    async with endpoint.running():
        assert "Version 1 of solve" in await prompts("add", "solve", str(text), "--why", "times")
        assert f"+{RULE}" in await prompts("diff", "solve", "shipped", "1")
        two = ("--model", "openai:strong", "--model", "openai:weak", "--json")
        scores = json.loads(await prompts("try", "solve", "1", "--suite", "times", *two))
        assert {one["model"]: one["score"] for one in scores} == {
            "openai:strong": 1.0, "openai:weak": 0.0
        }  # fmt: skip
        await prompts("try", "solve", "shipped", "--suite", "times", "--model", "openai:strong")
        assert RULE not in await prompts("show", "solve")  # trying changes nothing
        chosen = ("--suite", "times", "--model", "openai:strong", "--use")
        assert "Version 1: 100%" in await prompts("best", "solve", *chosen)
        assert RULE in await prompts("show", "solve")
        rows = json.loads(await prompts("list", "solve", "--json"))
        assert [row["in_force"] for row in rows] == [False, True]
        assert {score["cases"] for score in rows[1]["scores"]} == {8}
        code, _, errors = await run(proved_folder, "prompts", "remove", "solve", "1")
        assert code != 0 and "is in force" in errors
        assert "the shipped text" in await prompts("rollback", "solve")
        assert "is gone" in await prompts("remove", "solve", "1")


async def test_a_text_that_is_removed_while_it_is_tried_leaves_no_score(
    proved_folder: Path,
) -> None:
    times_suite(proved_folder, cases=3)
    text = proved_folder / "mine.md"
    start = shipped_text("solve")
    text.write_text(with_instructions(start, f"{instructions(start)}\n{RULE}"))
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def held(one: Asked) -> str:
        loop.call_soon_threadsafe(asked.set)
        return says(one)

    endpoint = FaultyEndpoint(held, seconds_per_word=0.2)
    async with endpoint.running():
        await run(proved_folder, "prompts", "add", "solve", str(text))
        words = ("prompts", "try", "solve", "1", "--suite", "times", "--model", "openai:strong")
        trying = asyncio.create_task(run(proved_folder, *words, url=endpoint.url))
        await asyncio.wait_for(asked.wait(), 60)
        code, out, _ = await run(proved_folder, "prompts", "remove", "solve", "1")
        endpoint.seconds_per_word = 0.0
        assert code == 0 and "is gone" in out
        code, _, errors = await trying
        assert code != 0 and "was removed meanwhile" in errors
        _, out, _ = await run(proved_folder, "prompts", "list", "solve", "--json")
        assert [row["version"] for row in json.loads(out)] == ["shipped"]


async def test_adapters_are_added_used_switched_off_and_removed(tmp_path: Path) -> None:
    data, file = tmp_path / "data", gguf(tmp_path / "mine.gguf")

    async def adapters(*words: str) -> tuple[int, str, str]:
        return await run(data, "model", "adapters", *words)

    assert "mine is kept" in (await adapters("add", str(file)))[1]
    assert "before: shipped" in (await adapters("use", "mine"))[1]
    code, _, errors = await adapters("remove", "mine")
    assert code != 0 and "in use" in errors
    found = json.loads((await adapters("list", "--json"))[1])
    assert found["active"] == "mine" and "mine" in {row["name"] for row in found["adapters"]}
    assert "before: mine" in (await adapters("use", "off"))[1]
    assert "is gone" in (await adapters("remove", "mine"))[1]
    code, _, errors = await adapters("use", "mine")
    assert code != 0 and "mine" in errors
    (tmp_path / "none.gguf").write_bytes(b"PK\x03\x04")
    code, _, errors = await adapters("add", str(tmp_path / "none.gguf"))
    assert code != 0 and "GGUF" in errors
    code, out, _ = await run(data, "ledger")
    assert code == 0 and "adapter" in out
