"""Skills through `ask`: found like tools, run at their own level, their steps in the answer."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.json_types import JsonObject
from hammerstone.run.request import AskOptions
from tests.integration.engine import Script, Watched, add_tool, scripted_engine, solution_of
from tests.unit.library.skills.conftest import skill_text, write_skill

SPLIT = "import json, sys\nprint(json.dumps(json.load(sys.stdin)['text'].split('. ')))\n"
PLAN = """
inputs:
  text: {type: string}
steps:
  - {id: parts, run: scripts/split.py, with: {text: $input.text}}
  - {id: counts, tool: length_of, for_each: $parts, with: {text: $item}}
output: $counts
"""
ABOUT = "Counts the letters of each sentence of a text, sentence by sentence."
ASKED = "Count the letters of each sentence, sentence by sentence, of the text 'Ab cd. Efg. Ab cd'"
LENGTH = "def length_of(text):\n    return len(text.replace(' ', ''))\n"


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def hs(tmp_path: Path, script: Script) -> AsyncIterator[Hammerstone]:
    async with scripted_engine(script, tmp_path / "data") as engine:
        text: JsonObject = {"type": "string"}
        about = "How many signs something has."
        await add_tool(engine, LENGTH, about, {"text": text}, {"type": "integer"})
        yield engine


async def letters(hs: Hammerstone, folder: Path, more: str = "", meta: str = "") -> None:
    head = f"metadata:\n  hammerstone: assets/plan.yaml\n{meta}{more}"
    text = skill_text("sentence-letters", ABOUT, head)
    await take(hs, folder / "sentence-letters", text, scripts__split___py=SPLIT, plan=PLAN)


async def take(hs: Hammerstone, folder: Path, text: str, *, plan: str = "", **files: Any) -> None:
    more = {"assets__plan___yaml": plan} if plan else {}
    await hs.skills.add(hs.skills.read(write_skill(folder, text, **files, **more)), replace=True)


async def test_a_composed_skill_is_found_fans_out_and_shows_its_steps(
    hs: Hammerstone, tmp_path: Path
) -> None:
    await letters(hs, tmp_path)
    watched = Watched()
    answer = await hs.ask(ASKED, session="s", on_event=watched)
    assert (answer.skill, answer.tool, answer.strategy) == ("sentence-letters", None, "skill")
    assert answer.result == [4, 3, 4]
    assert [step["text"] for step in answer.steps] == ["scripts/split.py", *["length_of"] * 3]
    assert all(step["status"] == "done" and step["seconds"] >= 0 for step in answer.steps)
    assert answer.cost.model_calls == 0 and "tool_found" in watched.kinds
    assert answer.confidence is not None and "was not checked" in answer.why
    await hs._answerer.settle()
    _, spans = await hs.traces.get(answer.trace_id)
    names = [span.name for span in spans]
    assert "skill sentence-letters" in names and names.count("skill step counts") == 3
    assert "execute_tool length_of" in names


async def test_a_skill_never_works_above_its_own_level(hs: Hammerstone, tmp_path: Path) -> None:
    await letters(hs, tmp_path, meta="  maturity: '1'\n")
    skill = await hs.skills.open("sentence-letters")
    assert hs.skills.level_of(skill) == 1
    answer = await hs.ask("/sentence-letters 'Ab cd. Efg'", session="s")
    assert answer.status == "failed" and "level is 1" in answer.text
    done = await hs.skill_runs.run("sentence-letters", {"text": "Ab. Cd"})
    assert "level is 1" in done.error
    await letters(hs, tmp_path, meta="  maturity: '5'\n")
    assert hs.skills.level_of(await hs.skills.open("sentence-letters")) == 4
    await hs.policies.change("skills", {"level": 2}, who="test", why="test")
    assert hs.skills.level_of(await hs.skills.open("sentence-letters")) == 2
    with pytest.raises(BadRequest, match="level from 1 to 5"):
        await letters(hs, tmp_path, meta="  maturity: high\n")


async def test_who_may_start_a_skill(hs: Hammerstone, script: Script, tmp_path: Path) -> None:
    script._by_purpose["solution"] = solution_of("def nothing():\n    return 0", "nothing()")
    await letters(hs, tmp_path, more="disable-model-invocation: true\n")
    chosen = await hs.ask(ASKED, session="a")
    assert chosen.skill is None and "solution" in script.asked
    named = await hs.ask("/sentence-letters 'Ab cd. Efg'", session="b")
    assert (named.skill, named.result) == ("sentence-letters", [4, 3])
    by_program = AskOptions(by_program=True)
    with pytest.raises(Refused, match="agents do not start it"):
        await hs.ask("/sentence-letters 'Ab cd. Efg'", session="c", options=by_program)

    await letters(hs, tmp_path, more="user-invocable: false\n")
    with pytest.raises(Refused, match="people do not start it"):
        await hs.ask("/sentence-letters 'Ab cd. Efg'", session="d")
    found = await hs.ask(ASKED.replace("Efg", "Efgh"), session="e")
    assert (found.skill, found.result) == ("sentence-letters", [4, 4, 4])


async def test_an_agents_skill_starts_no_skill_that_only_people_start(
    hs: Hammerstone, script: Script, tmp_path: Path
) -> None:
    script._by_purpose["solution"] = solution_of("def nothing():\n    return 0", "nothing()")
    inner = skill_text("inner", "Inside.", "disable-model-invocation: true\n")
    await take(hs, tmp_path / "inner", inner, scripts__main___py="print(1)\n")
    outer = skill_text("outer", ABOUT, "metadata:\n  hammerstone: assets/plan.yaml\n")
    plan = "steps:\n  - {id: one, skill: inner}\noutput: $one\n"
    await take(hs, tmp_path / "outer", outer, plan=plan)
    assert (await hs.ask("/outer now", session="person")).result == 1
    by_program = AskOptions(by_program=True)
    other = await hs.ask("/outer now", session="program", options=by_program)
    assert (other.skill, other.result) == (None, 0)


async def test_a_skill_without_code_guides_the_solution_with_what_it_refers_to(
    hs: Hammerstone, script: Script, tmp_path: Path
) -> None:
    shown: list[str] = []

    def solve(prompt: Prompt) -> str:
        shown.append("\n".join(message.text for message in prompt.messages))
        return solution_of("def fee(weight):\n    return weight * 3", "fee(5)")

    script._by_purpose["solution"] = solve
    body = "# Fees\nSee references/parcels.md for parcels, references/letters.md for letters.\n"
    about = "Computes the fee of shipping a parcel with a weight in kilogram."
    text = skill_text("shipping-fees", about, "", body)
    files = {
        "references__parcels___md": "# Parcels\nA parcel costs 3 for each kilogram.",
        "references__letters___md": "# Envelopes\nStamps are 1 each.",
    }
    await take(hs, tmp_path / "shipping-fees", text, **files)
    asked = "Compute the fee of shipping a parcel with a weight of 5 kilogram"
    answer = await hs.ask(asked, session="s")
    assert (answer.skill, answer.result) == ("shipping-fees", 15)
    assert "references/parcels.md for parcels" in shown[0] and "3 for each kilogram" in shown[0]
    assert "Stamps" not in shown[0]
    assert answer.cost.model_calls >= len(shown) > 0 and answer.cost.tokens > 0
    assert await hs.tools.find("fee") is None


async def test_a_script_gets_its_input_from_the_skills_text(
    hs: Hammerstone, script: Script, tmp_path: Path
) -> None:
    script._by_purpose["skill input"] = '{"words": ["b", "a"]}'
    code = "import json, sys\nprint(json.dumps(sorted(json.load(sys.stdin)['words'])))\n"
    text = skill_text("word-order", "Puts words in order.", "", "Give `words`, a list.\n")
    await take(hs, tmp_path / "word-order", text, scripts__main___py=code)
    answer = await hs.ask("/word-order b and a", session="s")
    assert (answer.result, answer.cost.model_calls) == (["a", "b"], 1)


async def test_a_run_by_name_leaves_a_trace(hs: Hammerstone, tmp_path: Path) -> None:
    await letters(hs, tmp_path)
    done = await hs.skill_runs.run("sentence-letters", {"text": "Ab. Cde"}, tenant="ada")
    assert done.value == [2, 3]
    await hs._answerer.settle()
    (trace,) = await hs.traces.list(limit=5)
    _, spans = await hs.traces.get(trace.id)
    assert "skill step counts" in [span.name for span in spans]
