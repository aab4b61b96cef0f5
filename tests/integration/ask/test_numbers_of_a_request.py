"""What becomes of a request's numbers that a solution has inside."""

from pathlib import Path
from typing import Any

from tests.integration.eager import eager
from tests.integration.engine import Script, Watched, scripted_engine, solution_of

GARAGE = "A garage takes 3 euros for the first hour and 1.50 for each further one."
REQUEST = f"{GARAGE} What do I pay for 4 hours?"
CODE = '''def parking_cost(hours: float) -> float:
    """What parking costs for some hours."""
    return {first} + (hours - 1) * {more}
'''
TESTS = """```python
assert parking_cost(1) == {one}
assert parking_cost(2) == {two}
assert parking_cost(3) == {three}
```"""


def _script(first: float, more: float) -> Script:
    code = CODE.format(first=first, more=more)
    return Script(
        solution=solution_of(code, "parking_cost(4)"),
        arguments='{"hours": 4}',
        tests=TESTS.format(one=first, two=first + more, three=first + 2 * more),
        code=f"```python\n{code}```",
        foretell=f"{first + 3 * more:g}",
    )


async def test_numbers_of_the_request_become_parameters_of_the_tool(tmp_path: Path) -> None:
    async with scripted_engine(_script(3, 1.5), tmp_path) as hs:
        answer = await hs.ask(REQUEST)
        after = await hs.proofs.wait(answer)
        assert after.tool is not None
        tool = await hs.tools.get(after.tool)
        properties: Any = tool.version.spec.parameters["properties"]
        defaults = {name: one["default"] for name, one in properties.items() if name != "hours"}
        other = {name: {3: 5, 1.5: 2}[value] for name, value in defaults.items()}
        elsewhere = await hs.run_tool(after.tool, {"hours": 4, **other})
    assert answer.result == 7.5
    assert sorted(defaults.values()) == [1.5, 3]
    assert elsewhere.result == 11


async def test_a_request_with_other_numbers_is_not_answered_with_the_old_ones(
    tmp_path: Path,
) -> None:
    async with scripted_engine(_script(3, 1.5), tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(REQUEST))
    other = GARAGE.replace("3 euros", "5 euros").replace("1.50", "2")
    async with scripted_engine(_script(5, 2), tmp_path) as hs:
        await eager(hs)
        answer = await hs.ask(f"{other} What do I pay for 4 hours?")
    assert answer.result == 11


async def test_a_tool_with_a_rule_inside_is_left_where_the_request_has_its_own(
    tmp_path: Path,
) -> None:
    """The 3 stands twice in the body: it cannot be moved, so the tool says that it is inside."""
    twice = "    return 3 if hours <= 1 else 3 + (hours - 1) * hours"
    code = f'def parking_cost(hours: float) -> float:\n    """What parking costs."""\n{twice}\n'
    script = Script(
        solution=solution_of(code, "parking_cost(4)"),
        arguments='{"hours": 4}',
        tests="```python\nassert parking_cost(1) == 3\nassert parking_cost(2) == 5\n```",
        code=f"```python\n{code}```",
        foretell="15",
    )
    asked = "Parking cost: what parking costs for 4 hours"
    async with scripted_engine(script, tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(f"{asked} in a garage that takes 3 for the first"))
        (tool,) = await hs.tools.list()
        assert tool.version.spec.constants == (3,)
        await eager(hs)
        again = await hs.ask(asked)
        assert (again.tool, again.result) == ("parking_cost", 15)
    events = Watched()
    async with scripted_engine(_script(5, 2), tmp_path) as hs:
        other = f"{asked} in a garage that takes 5 for the first and 2 for each further one"
        answer = await hs.ask(other, on_event=events)
    assert (answer.tool, answer.result) == (None, 11)
    said = [event.text for event in events.events]
    assert any("parking_cost cannot take these values" in text for text in said)
