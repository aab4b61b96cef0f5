"""From a request without a tool to an answer by a tool that did not exist before."""

import json
from pathlib import Path

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, BudgetExceeded, ModelUnavailable
from hammerstone.core.tools import Effect, Status
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_SPEC,
    Script,
    Watched,
    percent_script,
    scripted_engine,
)

REQUEST = "What is 17.5% of 240?"
PERCENT_TESTS_AS_TEXT = """```python
assert percentage_of(10, 200) == '20'
assert percentage_of(50, 200) == '100'
assert percentage_of(0, 200) == '0'
assert percentage_of(100, 5) == '5'
```"""


async def test_a_tool_is_built_proved_registered_and_used(tmp_path: Path) -> None:
    seen = Watched()
    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask(REQUEST, on_event=seen)
        tool = await hs.tools.get("percentage_of")
    assert answer.text == "42" and answer.result == 42
    assert (answer.tool, answer.version, answer.cached) == ("percentage_of", 1, False)
    assert answer.cost.model_calls > 0 and answer.cost.tokens > 0
    assert tool.status is Status.VERIFIED
    assert tool.version.suite and tool.version.provenance["request"] == REQUEST
    for kind in ("searching", "synthesizing", "test_written", "candidate", "verifying"):
        assert kind in seen.kinds
    assert seen.kinds[-2:] == ["executing", "done"]


async def test_a_repeated_request_needs_no_model_and_no_sandbox(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        first = await hs.ask(REQUEST)
        asked = len(script.asked)
        again = await hs.ask(f"  {REQUEST} ")
    assert len(script.asked) == asked
    assert again.cached and again.result == first.result and again.cost.model_calls == 0
    async with scripted_engine(Script(), tmp_path) as hs:
        assert (await hs.ask(REQUEST)).cached


async def test_the_memo_is_not_used_for_what_refers_to_something_earlier(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        await hs.ask("What is 17.5% of that number, 240?")
        asked = len(script.asked)
        await hs.ask("What is 17.5% of that number, 240?")
    assert len(script.asked) > asked


async def test_wrong_code_is_not_trusted(tmp_path: Path) -> None:
    wrong = PERCENT_CODE.replace("percent / 100 * number", "percent * number")
    async with scripted_engine(percent_script(code=wrong), tmp_path) as hs:
        answer = await hs.ask(REQUEST)
        tools = await hs.tools.list()
    verified = [tool for tool in tools if tool.status is Status.VERIFIED]
    assert not verified
    assert answer.status == "failed" or "unverified" in answer.text


async def test_truth_in_the_request_decides(tmp_path: Path) -> None:
    request = "Build a tool double(n). For example double(n=4) returns 8"
    spec = PERCENT_SPEC | {
        "name": "double",
        "parameters": [{"name": "n", "type": "number", "description": "a number"}],
    }
    script = Script(
        spec=json.dumps(spec),
        arguments='{"n": 4}',
        tests="```python\nassert double(1) == 1\nassert double(4) == 16\n```",
        code="```python\ndef double(n):\n    return n * n\n```",
        repair="```python\ndef double(n):\n    return n * 2\n```",
    )
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request)
        tools = await hs.tools.list()
    assert "repair" in script.asked
    assert all("n * n" not in tool.version.code for tool in tools)
    assert answer.result in (8, None)


async def test_what_depends_on_the_time_is_computed_anew(tmp_path: Path) -> None:
    code = PERCENT_CODE.replace(
        "    return", "    from datetime import date\n    assert date.today()\n    return"
    )
    script = percent_script(code=code)
    async with scripted_engine(script, tmp_path) as hs:
        first, again = await hs.ask(REQUEST), await hs.ask(REQUEST)
        tool = await hs.tools.get("percentage_of")
    assert (first.result, again.result) == (42, 42)
    assert tool.version.spec.effect is Effect.READS and not again.cached


async def test_a_name_with_other_types_is_another_tool(tmp_path: Path) -> None:
    spec = PERCENT_SPEC | {"returns": "text"}
    as_text = PERCENT_CODE.replace("percent / 100 * number", "f'{percent / 100 * number:g}'")
    script = percent_script(
        spec=json.dumps(spec),
        code=as_text,
        tests=PERCENT_TESTS_AS_TEXT,
    )
    request = "Build a tool for percentages. For example percentage_of(10, 200) returns "
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.ask(request + "20")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request + "'20'")
    assert (answer.tool, answer.result) == ("percentage_of_2", "42")


@pytest.mark.parametrize(("kind", "words"), [("needs live data", "live data"), ("harmful", "harm")])
async def test_what_cannot_or_must_not_be_built_is_said(
    kind: str, words: str, tmp_path: Path
) -> None:
    script = Script(spec=json.dumps(PERCENT_SPEC | {"kind": kind}))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("predict the lottery")
    assert answer.status == "failed" and words in answer.text


async def test_small_talk_gets_a_reply_without_a_tool(tmp_path: Path) -> None:
    script = Script(spec=json.dumps(PERCENT_SPEC | {"kind": "conversation"}), response="Hi!")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("hello")
    assert (answer.text, answer.tool, answer.status) == ("Hi!", None, "done")


async def test_a_failing_tool_is_an_honest_answer(tmp_path: Path) -> None:
    code = PERCENT_CODE.replace(
        "    return", "    if number > 1000:\n        raise ValueError('too much')\n    return"
    )
    async with scripted_engine(percent_script(code=code), tmp_path) as hs:
        answer = await hs.ask("What is 1% of 5000?")
    assert answer.status == "failed" and "too much" in answer.text, answer


async def test_the_models_budget_is_kept(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.policies.change("build_budget", {"model_calls": 3}, who="test", why="tight")
        with pytest.raises(BudgetExceeded):
            await hs.ask(REQUEST)
        traces = await hs.traces.list(status="error")
    assert len(traces) == 1


async def test_an_unavailable_model_is_told_and_recorded(tmp_path: Path) -> None:
    script = Script(spec=ModelUnavailable("down", hint="later"))
    async with scripted_engine(script, tmp_path) as hs:
        with pytest.raises(ModelUnavailable):
            await hs.ask(REQUEST)
        assert [row.status for row in await hs.traces.list()] == ["error"]


@pytest.mark.parametrize("text", ["", "   ", "\x00\x01", "x" * 1_000_001])
async def test_unusable_requests_are_refused_before_anything_happens(
    text: str, tmp_path: Path
) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        with pytest.raises(BadRequest):
            await hs.ask(text)
        assert await hs.traces.list() == []


async def test_every_step_is_in_the_trace_and_secrets_are_not(tmp_path: Path) -> None:
    request = "What is 17.5% of 240? My key is sk-proj-abcdefghijklmnopqrstuvwxyz123456"
    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask(request)
        row, spans = await hs.traces.get(answer.trace_id)
    kinds = {span.kind for span in spans}
    assert {"model", "sandbox", "tool"} <= kinds
    assert row.status == "success"
    everything = repr((row, spans))
    assert "abcdefghijklmnopqrstuvwxyz123456" not in everything


async def test_tools_run_by_name_without_a_model(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.ask(REQUEST)
    async with scripted_engine(Script(), tmp_path) as hs:
        answer = await hs.run_tool("percentage_of", {"percent": 50, "number": 8})
        assert answer.result == 4 and not answer.cached
        assert (await hs.run_tool("percentage_of", {"number": 8.0, "percent": 50})).cached
        wrong = await hs.run_tool("percentage_of", {"percent": "x"})
        assert wrong.status == "failed"


async def test_a_session_belongs_to_its_user(tmp_path: Path) -> None:
    from hammerstone.core.errors import NotFound

    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask(REQUEST, user="ada")
        with pytest.raises(NotFound):
            await hs.ask(REQUEST, user="eve", session=answer.session_id)


async def test_a_number_that_no_parameter_takes_sends_the_specification_back_once(
    tmp_path: Path,
) -> None:
    parameter = {"type": "number", "description": "a number"}
    whole = PERCENT_SPEC | {
        "name": "in_proportion",
        "parameters": [{"name": name, **parameter} for name in ("known", "cost", "wanted")],
    }
    poor = whole | {"parameters": whole["parameters"][:1]}
    prompts: list[str] = []

    tests = "\n".join(
        f"assert in_proportion({call}) == {cost}"
        for call, cost in (("2, 3, 4", 6), ("1, 5, 3", 15), ("4, 2, 8", 4))
    )
    code = "def in_proportion(known, cost, wanted):\n    return cost / known * wanted"

    def spec(prompt: Prompt) -> str:
        prompts.append(prompt.messages[-1].text)
        return json.dumps(poor if len(prompts) == 1 else whole)

    def arguments(prompt: Prompt) -> str:
        values = {"known": 3, "cost": 4.2, "wanted": 7}
        return json.dumps(values if len(prompts) > 1 else {"known": 3})

    script = percent_script(
        spec=spec,
        arguments=arguments,
        tests=f"```python\n{tests}\n```",
        code=f"```python\n{code}\n```",
    )
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("3 rulers cost 4.2 euros. What do 7 rulers cost?")
    assert answer.result == pytest.approx(9.8)
    assert len(prompts) == 2
    assert "3 pens" not in prompts[0]
    assert "3 pens" in prompts[1]
