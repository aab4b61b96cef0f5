"""What becomes of a request's numbers: parameters, or a part of the promise."""

import json
from pathlib import Path

from tests.integration.engine import Script, Watched, scripted_engine

GARAGE = "A garage takes 3 euros for the first hour and 1.50 for each further one."
SPEC = {
    "kind": "calculation",
    "name": "parking_cost",
    "description": "What parking costs.",
    "parameters": [{"name": "hours", "type": "number", "description": "hours parked"}],
    "returns": "number",
    "returns_description": "the cost",
    "edge_cases": [],
}
TESTS = """```python
assert parking_cost(1) == {one}
assert parking_cost(2) == {two}
assert parking_cost(3) == {three}
```"""
CODE = "```python\ndef parking_cost(hours):\n    return {first} + (hours - 1) * {more}\n```"


def _script(first: float, more: float, seen: list[str]) -> Script:
    def tests(prompt: object) -> str:
        seen.append(str(prompt))
        return TESTS.format(one=first, two=first + more, three=first + 2 * more)

    return Script(
        spec=json.dumps(SPEC),
        arguments='{"hours": 4}',
        tests=tests,
        code=CODE.format(first=first, more=more),
        plan='{"steps": []}',
    )


async def test_numbers_inside_a_tool_are_in_its_promise(tmp_path: Path) -> None:
    seen: list[str] = []
    async with scripted_engine(_script(3, 1.5, seen), tmp_path) as hs:
        answer = await hs.ask(f"{GARAGE} What do I pay for 4 hours?")
        tool = await hs.tools.get("parking_cost")
    assert answer.result == 7.5
    assert tool.version.spec.description == f"What parking costs. {GARAGE}"
    assert all(GARAGE in prompt for prompt in seen)


async def test_a_request_with_other_numbers_is_not_answered_by_that_tool(tmp_path: Path) -> None:
    async with scripted_engine(_script(3, 1.5, []), tmp_path) as hs:
        await hs.ask(f"{GARAGE} What do I pay for 4 hours?")
    other = GARAGE.replace("3 euros", "5 euros").replace("1.50", "2")
    async with scripted_engine(_script(5, 2, []), tmp_path) as hs:
        answer = await hs.ask(f"{other} What do I pay for 4 hours?")
        known = await hs.tools.list()
    assert answer.result == 11
    assert len(known) == 2


async def test_a_tool_that_was_found_is_left_when_the_request_has_a_rule_of_its_own(
    tmp_path: Path,
) -> None:
    asked = "Parking cost: what parking costs for"
    async with scripted_engine(_script(3, 1.5, []), tmp_path) as hs:
        await hs.ask(f"{GARAGE} What do I pay for 4 hours?")
        again = await hs.ask(f"{asked} 4 hours")
    assert (again.tool, again.result) == ("parking_cost", 7.5)
    events = Watched()
    async with scripted_engine(_script(5, 2, []), tmp_path) as hs:
        other = "a garage that takes 5 euros for the first hour and 2 for each further one"
        answer = await hs.ask(f"{asked} 4 hours in {other}", on_event=events)
    assert (answer.tool, answer.result) == ("parking_cost_2", 11)
    said = [event.text for event in events.events]
    assert any("parking_cost has 3 and 1.5 inside" in text for text in said)


async def test_an_amount_in_words_becomes_numbers(tmp_path: Path) -> None:
    spec = SPEC | {
        "name": "minutes_of",
        "description": "A duration in minutes.",
        "parameters": [{"name": "duration", "type": "text", "description": "how long, '2 hours'"}],
    }
    events = Watched()
    script = Script(
        spec=json.dumps(spec),
        arguments='{"duration": "3 hours and 35 minutes"}',
        tests="```python\nassert minutes_of(1, 5) == 65\nassert minutes_of(0, 7) == 7\n"
        "assert minutes_of(2, 0) == 120\n```",
        code="```python\ndef minutes_of(duration_hours, duration_minutes):\n"
        "    return duration_hours * 60 + duration_minutes\n```",
    )
    async with scripted_engine(script, tmp_path) as hs:
        request = "A train took 3 hours and 35 minutes, how many minutes is that?"
        answer = await hs.ask(request, on_event=events)
        tool = await hs.tools.get("minutes_of")
    assert answer.result == 215
    assert list(tool.version.spec.parameters["properties"]) == [
        "duration_hours",
        "duration_minutes",
    ]
    said = "amounts as numbers: minutes_of(duration_hours, duration_minutes)"
    assert said in [event.text for event in events.events]
