"""Two tools that cannot be told apart: the person is asked, and may ask for something else."""

from pathlib import Path

from hammerstone.core.json_types import JsonObject
from tests.integration.engine import Script, add_tool, scripted_engine


async def test_another_request_is_no_answer_to_which_one(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await hs.library.seed()
        sure: JsonObject = {"high": 0.15, "middle": 0.15}
        await hs.policies.change("fit", sure, who="test", why="words alone have to do")
        plain = await hs.ask("Is the number 97 prime?", session="other")
        assert (plain.tool, plain.result) == ("is_prime", True)  # less likely ones are no rivals
        twin = "def {name}(number):\n    return number * {by}\n"
        for name, by in (("growth_a", 2), ("growth_b", 3)):
            code = twin.format(name=name, by=by)
            number: JsonObject = {"type": "number"}
            await add_tool(hs, code, "The growth of a number.", {"number": number}, number)
        asked = await hs.ask("What is the growth of 97?", session="s")
        assert asked.status == "question" and "1) growth_a: 194" in asked.text
        other = await hs.ask("What is 17.5% of 240", session="s")
        assert (other.tool, other.result) == ("percentage_of", 42)
        chosen = await hs.ask("1", session="s")
        assert (chosen.tool, chosen.result) == ("growth_a", 194)
