"""From an answer to a tool that did not exist before, and what is kept and refused on the way."""

from pathlib import Path

import pytest

from hammerstone.core.answers import Proof
from hammerstone.core.errors import BadRequest, BudgetExceeded, ModelUnavailable, NotFound
from hammerstone.core.tools import Effect, Status
from hammerstone.run.request import AskOptions
from tests.integration.eager import eager
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_SOLUTION,
    Noted,
    Script,
    percent_script,
    scripted_engine,
    services_of,
    solution_of,
)

REQUEST = "What is 17.5% of 240?"
BODY = "percent / 100 * number"
PERCENT_TESTS_AS_TEXT = """```python
assert percentage_of(10, 200) == '20'
assert percentage_of(50, 200) == '100'
assert percentage_of(0, 200) == '0'
assert percentage_of(100, 5) == '5'
```"""


async def test_a_tool_is_proved_and_registered_after_its_answer(tmp_path: Path) -> None:
    noted = Noted()
    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask(REQUEST)
        after = await hs.proofs.wait(answer, noted)
        tool = await hs.tools.get("percentage_of")
    assert answer.cost.model_calls > 0 and answer.cost.tokens > 0
    assert (after.result, after.tool, after.version) == (42, "percentage_of", 1)
    assert tool.status is Status.VERIFIED and after.proof is Proof.PROVED
    assert tool.version.spec.description == "A given percentage of a number."
    assert tool.version.suite and tool.version.provenance["request"] == REQUEST
    for kind in ("test_written", "candidate", "verifying"):
        assert kind in noted.kinds


async def test_the_memo_is_not_used_for_what_refers_to_something_earlier(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        await hs.ask("What is 17.5% of that number, 240?")
        asked = len(script.asked)
        again = await hs.ask("What is 17.5% of that number, 240?")
    assert len(script.asked) > asked and not again.cached


async def test_wrong_code_is_not_trusted(tmp_path: Path) -> None:
    """Solutions with one mistake agree; code that is written anew does something else."""
    wrong = percent_script(solution=PERCENT_SOLUTION.replace(BODY, "percent * number"))
    async with scripted_engine(wrong, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
        after = await hs.proofs.wait(answer)
        tools = await hs.tools.list()
    assert after.proof is not Proof.PROVED
    assert not [tool for tool in tools if tool.status is Status.VERIFIED]


async def test_truth_in_the_request_decides(tmp_path: Path) -> None:
    request = "Build a tool double(n). For example double(n=4) returns 8"
    wrong = "def double(n: float) -> float:\n    return n * n"
    right = "def double(n: float) -> float:\n    return n * 2"
    script = Script(
        solution=solution_of(wrong, "double(4)"),
        tests="```python\nassert double(1) == 1\nassert double(4) == 16\n```",
        code=f"```python\n{wrong}\n```",
        repair=f"```python\n{right}\n```",
        foretell="16",
        **{"solution repair": solution_of(right, "double(4)")},
    )
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request)
        await hs.proofs.wait(answer)
        tools = await hs.tools.list()
    assert answer.result == 8 and "solution repair" in script.asked
    assert all("n * n" not in tool.version.code for tool in tools)


@pytest.mark.parametrize(
    "line", ["from datetime import date; assert date.today()", "import random; random.random()"]
)
async def test_what_depends_on_the_moment_is_computed_anew(line: str, tmp_path: Path) -> None:
    def moment(code: str) -> str:
        return code.replace("    return", f"    {line}\n    return")

    script = percent_script(solution=moment(PERCENT_SOLUTION), code=moment(PERCENT_CODE))
    async with scripted_engine(script, tmp_path) as hs:
        first = await hs.ask(REQUEST)
        solved_again = await hs.ask(REQUEST)
        await hs.proofs.wait(first)
        tool = await hs.tools.get("percentage_of")
        await eager(hs)
        reused, again = await hs.ask(REQUEST), await hs.ask(REQUEST)
    assert first.result == solved_again.result == 42 and not solved_again.cached
    assert tool.version.spec.effect is Effect.READS
    assert (reused.tool, again.tool) == ("percentage_of", "percentage_of")
    assert not reused.cached and not again.cached


async def test_a_name_with_other_types_is_another_tool(tmp_path: Path) -> None:
    text = "f'{percent / 100 * number:g}'"
    as_text = percent_script(
        solution=PERCENT_SOLUTION.replace(BODY, text).replace("-> float", "-> str"),
        code=PERCENT_CODE.replace(BODY, text).replace("-> float", "-> str"),
        tests=PERCENT_TESTS_AS_TEXT,
        foretell="'42'",
    )
    request = "Build a tool for percentages. For example percentage_of(10, 200) returns "
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(request + "20"))
    async with scripted_engine(as_text, tmp_path) as hs:
        answer = await hs.ask(request + "'20'")
        after = await hs.proofs.wait(answer)
    assert answer.result == "42"
    assert after.tool == "percentage_of_2"


async def test_code_that_says_no_is_an_honest_answer(tmp_path: Path) -> None:
    code = PERCENT_SOLUTION.replace(
        "    return", "    if number > 1000:\n        raise ValueError('too much')\n    return"
    ).replace("17.5, 240", "1, 5000")
    script = percent_script(solution=code, **{"solution repair": code})
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("What is 1% of 5000?")
        assert await hs.proofs.pending() == []
    assert answer.status == "failed" and "too much" in answer.text, answer
    assert answer.proof is Proof.NONE


async def test_a_requests_budget_is_kept(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.policies.change("request_budget", {"model_calls": 0}, who="test", why="tight")
        with pytest.raises(BudgetExceeded):
            await hs.ask(REQUEST)
        traces = await hs.traces.list(status="error")
    assert len(traces) == 1


async def test_a_budget_that_ends_between_rounds_leaves_what_was_found(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        await hs.policies.change("request_budget", {"model_calls": 1}, who="test", why="tight")
        await hs.policies.change("answer", {"stop_at": 1.0}, who="test", why="never sure enough")
        answer = await hs.ask(REQUEST)
    assert (answer.result, answer.solutions, answer.cost.model_calls) == (42, 1, 1)
    assert script.asked == ["solution"]


async def test_a_proofs_budget_is_kept_and_costs_the_answer_nothing(tmp_path: Path) -> None:
    script = percent_script()
    async with scripted_engine(script, tmp_path) as hs:
        await hs.policies.change("build_budget", {"model_calls": 2}, who="test", why="tight")
        answer = await hs.ask(REQUEST)
        solved = len(script.asked)
        after = await hs.proofs.wait(answer)
        (job,) = await hs.proofs.list()
        tools = await hs.tools.list()
    assert (after.result, after.proof) == (42, Proof.UNPROVED)
    assert len(script.asked) - solved <= 2 and "limit of 2 model calls" in job.reason
    assert not [tool for tool in tools if tool.status is Status.VERIFIED]


async def test_an_unavailable_model_is_told_and_recorded(tmp_path: Path) -> None:
    script = Script(solution=ModelUnavailable("down", hint="later"))
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
        await hs.proofs.wait(answer)
        (proof,) = [one for one in await hs.traces.list() if one.id != answer.trace_id]
        _, proving = await hs.traces.get(proof.id)
        jobs = await services_of(hs).records.db.jobs.list("proof")
        tools = await hs.tools.list()
    assert {"model", "sandbox"} <= {span.kind for span in spans}
    assert {"model", "sandbox"} <= {span.kind for span in proving}
    assert row.status == "success" and proof.status == "success"
    everything = repr((row, spans, proof, proving, jobs, tools))
    assert "abcdefghijklmnopqrstuvwxyz123456" not in everything


async def test_tools_run_by_name_without_a_model(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(REQUEST))
    async with scripted_engine(Script(), tmp_path) as hs:
        answer = await hs.run_tool("percentage_of", {"percent": 50, "number": 8})
        assert answer.result == 4 and not answer.cached
        assert (await hs.run_tool("percentage_of", {"number": 8.0, "percent": 50})).cached
        wrong = await hs.run_tool("percentage_of", {"percent": "x"})
        assert wrong.status == "failed"


async def test_a_session_belongs_to_its_user(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask(REQUEST, options=AskOptions(user="ada"))
        with pytest.raises(NotFound):
            await hs.ask(REQUEST, session=answer.session_id, options=AskOptions(user="eve"))
