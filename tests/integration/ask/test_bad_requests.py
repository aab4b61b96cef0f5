"""Requests and solutions that nobody would wish for, and what a person sees of them."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.core.answers import Proof
from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Status
from hammerstone.run.solve import sampling
from tests.integration.engine import (
    PERCENT_SOLUTION,
    Script,
    Watched,
    percent_script,
    scripted_engine,
    services_of,
    solution_of,
)

REQUEST = "What is 17.5% of 240?"
BODY = "return percent / 100 * number"
ONCE = {"max_solutions": 1}


def _be_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a solution two seconds instead of ten to come to an end."""
    monkeypatch.setattr(sampling, "_LIMITS", replace(sampling._LIMITS, wall_s=2.0))


def _all(solution: str) -> Script:
    return Script(solution=solution, **{"solution repair": solution})


async def test_languages_may_be_mixed(tmp_path: Path) -> None:
    request = "Wieviel ist 17.5% of 240, s'il vous plaît? 答えは何ですか 🙏"
    async with scripted_engine(percent_script(), tmp_path) as hs:
        answer = await hs.ask(request)
        (said, _) = await hs.sessions.messages(answer.session_id, hs.settings.user)
    assert (answer.status, answer.result) == ("done", 42)
    assert said.text == request


@pytest.mark.parametrize("text", ["The cat sat on the mat.", "240", "hm"])
async def test_what_asks_nothing_gets_a_reply_and_no_tool(text: str, tmp_path: Path) -> None:
    script = Script(solution="```python\n# conversation\n```", response="What would you like?")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(text)
        assert await hs.proofs.pending() == []
    assert (answer.status, answer.text) == ("done", "What would you like?")
    assert answer.result is None and answer.sureness is None


@pytest.mark.parametrize(
    "reply", ["", "I cannot do that.", "```python\nimport os\n```", "```python\nanswer = (\n```"]
)
async def test_a_model_that_writes_no_program_is_an_honest_no(reply: str, tmp_path: Path) -> None:
    async with scripted_engine(_all(reply), tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.status == "failed" and answer.text.startswith("I found no answer")


async def test_forty_numbers_are_all_counted(tmp_path: Path) -> None:
    numbers = list(range(101, 141))
    code = "def total(numbers: list) -> int:\n    return sum(numbers)"
    script = Script(solution=solution_of(code, f"total({numbers})"))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(f"Add up {', '.join(map(str, numbers))}, please")
    assert answer.result == sum(numbers)


TABLE = "\n".join(f"item {number},{number}" for number in range(5_000))
TOTAL = """def total(table: str) -> int:
    rows = [line.split(",") for line in table.strip().split("\\n")]
    return sum(int(row[1]) for row in rows)"""


@pytest.mark.parametrize(
    "request_text",
    [
        f"Sum the second column of this table:\n{TABLE}",
        f"{TABLE}\nWhat is the sum of the second column?",
        f"I have a table.\n{TABLE}\nSum the second column",
    ],
    ids=["before", "after", "around"],
)
async def test_a_long_table_is_data_and_not_read_by_a_model(
    request_text: str, tmp_path: Path
) -> None:
    shown: list[str] = []

    def solution(prompt: Prompt) -> str:
        shown.append(prompt.messages[-1].text)
        return solution_of(TOTAL, "total(request_data)")

    tests = "```python\nassert total('a,1\\nb,2') == 3\nassert total('a,5') == 5\n```"
    script = Script(
        solution=solution, tests=tests, code=f"```python\n{TOTAL}\n```", foretell="12497500"
    )
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(request_text)
        after = await hs.proofs.wait(answer)
    assert answer.result == sum(range(5_000))
    assert "second column" in shown[0] and len(shown[0]) < 3_000
    assert len(answer.call) < 1_000 and after.proof is not Proof.PENDING


async def test_a_long_line_is_data_too(tmp_path: Path) -> None:
    numbers = list(range(3_000))
    code = "def total(text: str) -> int:\n    return sum(map(int, text.split(',')))"
    script = Script(solution=solution_of(code, "total(request_data)"))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(f"Add these up: {', '.join(map(str, numbers))}")
    assert answer.result == sum(numbers)


@pytest.mark.parametrize("piece", ["a [", "{'a': ", " and then ", "Sort it. ", "1,", "f(1) -> 2 "])
async def test_ninety_thousand_characters_of_nonsense_are_answered(
    piece: str, tmp_path: Path
) -> None:
    async with scripted_engine(_all(PERCENT_SOLUTION), tmp_path) as hs:
        await hs.policies.change("answer", ONCE, who="test", why="one is enough")
        answer = await hs.ask(piece * (90_000 // len(piece)))
    assert answer.status in ("done", "failed") and answer.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("while True: pass", "does not come to an end"),
        ("return percentage_of(percent, number)", "recursionerror"),
        ("import os; os._exit(3)", ""),
        ("raise SystemExit('bye')", "bye"),
        ("return 'x' * 10 ** 13", "memory"),
        (f"print('x' * 30_000_000); {BODY}", "too large"),
        ("return 'x' * 10_000_000", "too large"),
    ],
    ids=["loops", "recursion", "exits", "says bye", "memory", "prints", "ten megabytes"],
)
async def test_where_every_solution_dies_the_reason_is_said(
    body: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if body.startswith("while"):
        _be_impatient(monkeypatch)
    seen = Watched()
    async with scripted_engine(_all(PERCENT_SOLUTION.replace(BODY, body)), tmp_path) as hs:
        await hs.policies.change("answer", ONCE, who="test", why="one is enough")
        answer = await hs.ask(REQUEST, on_event=seen)
        (_, said) = await hs.sessions.messages(answer.session_id, hs.settings.user)
        row, _ = await hs.traces.get(answer.trace_id)
    assert answer.status == "failed" and answer.text.startswith("I found no answer")
    assert words in answer.text.lower() and len(answer.text) < 1_500 and row.status == "error"
    assert said.text == answer.text and max(len(event.text) for event in seen.events) < 1_500


async def test_solutions_that_never_end_are_not_asked_for_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _be_impatient(monkeypatch)
    script = _all(PERCENT_SOLUTION.replace(BODY, "while True: pass"))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.status == "failed"
    assert script.asked.count("solution") == 2  # one, then three; four more would loop as well


ROWS = """
def count_rows(path: str):
    import os
    if not os.path.exists(path):
        return "File not found"
    return len(open(path).read().splitlines())
"""


async def test_a_file_that_is_named_and_not_given_is_asked_for(tmp_path: Path) -> None:
    """Solutions agree on their own words about it, which are no answer."""
    calls = ["count_rows('sales.csv')"]
    script = Script(solution=lambda _: solution_of(ROWS, calls[-1]), tests="")
    async with scripted_engine(script, tmp_path / "data") as hs:
        answer = await hs.ask("How many rows does sales.csv have?")
        assert answer.status == "failed"
        assert answer.text == (
            "I found no answer: it needs the file sales.csv; give it with the request."
        )
        assert script.asked.count("solution") == 2  # one, then three; nothing is mended
        assert "solution repair" not in script.asked
        (tmp_path / "sales.csv").write_text("a\n1\n2\n")
        calls.append("count_rows('/files/sales.csv')")
        answer = await hs.ask("How many rows does sales.csv have?", files=[tmp_path / "sales.csv"])
        assert answer.result == 3


async def test_what_is_not_a_number_is_no_answer(tmp_path: Path) -> None:
    nothing = _all(PERCENT_SOLUTION.replace(BODY, "return float('nan')"))
    async with scripted_engine(nothing, tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.status == "failed" and answer.text.startswith("I found no answer")


async def test_a_number_beats_solutions_that_have_none(tmp_path: Path) -> None:
    replies = iter([PERCENT_SOLUTION.replace(BODY, "return float('nan')")])

    def solution(prompt: Prompt) -> str:
        return next(replies, PERCENT_SOLUTION)

    async with scripted_engine(percent_script(solution=solution), tmp_path) as hs:
        answer = await hs.ask(REQUEST)
    assert answer.result == 42 and answer.agree < answer.solutions


async def test_ten_requests_of_one_kind_at_once_are_ten_answers_and_one_proof(
    tmp_path: Path,
) -> None:
    def solution(prompt: Prompt) -> str:
        percent, number = re.findall(r"\d+", prompt.messages[-1].text)[:2]
        return PERCENT_SOLUTION.replace("17.5, 240", f"{percent}, {number}")

    script = percent_script(solution=solution)
    async with scripted_engine(script, tmp_path) as hs:
        asked = [(n, f"What is {n}% of {n * 100}?") for n in range(11, 21)]
        answers = await asyncio.gather(*(hs.ask(t, session=f"s{n}") for n, t in asked))
        (owed,) = await hs.proofs.pending()
        done = await hs.proofs.work_off()
        after = await asyncio.gather(*map(hs.proofs.proved, answers))
        tools = await hs.tools.list()
    assert [answer.result for answer in answers] == [pytest.approx(n * n) for n, _ in asked]
    assert owed.askers == 10 and len(done) == 1
    assert [(one.proof, one.tool) for one in after] == [(Proof.PROVED, "percentage_of")] * 10
    assert [(tool.name, tool.status) for tool in tools] == [("percentage_of", Status.VERIFIED)]


async def test_a_correction_for_a_session_that_was_deleted_is_told_to_nobody(
    tmp_path: Path,
) -> None:
    wrong = PERCENT_SOLUTION.replace("percent / 100 * number", "percent * number")
    script = percent_script(solution=wrong)
    async with scripted_engine(script, tmp_path) as hs:
        kept = await hs.ask(REQUEST, session="kept")
        gone = await hs.ask(f"{REQUEST} Please.", session="gone")
        assert kept.result == gone.result == 4200
        await hs.sessions.delete(gone.session_id, hs.settings.user)
        done = await hs.proofs.work_off()
        told = await services_of(hs).records.db.events.of_run(gone.run_id)
        assert await services_of(hs).records.db.sessions.find(gone.session_id) is None
    assert len(done) == 1 and told == []
    assert all(event.run_id == kept.run_id for one in done for event in one.events)
