"""Answers kept word for word: which are kept, and what finds them again."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Answer, AnswerStatus, Proof, Sureness
from hammerstone.core.tools import Effect, Status, Tool
from hammerstone.run.answer.earlier_feedback import TOLD
from hammerstone.run.answer.memo import SOLUTION, AnswerMemo
from hammerstone.run.context import EarlierStatement, Run, SuccessfulCall
from tests.unit.run.made_runs import make_run, make_tool

ANSWER = Answer(
    text="10",
    result=10,
    tool="double",
    version=1,
    confidence=0.9,
    sureness=Sureness.SURE,
    why="a test says so",
    call="double(5)",
    agree=3,
    solutions=4,
    alternatives=({"value": 11},),
    tool_confidence=0.8,
    proof=Proof.PROVED,
    strategy="single",
)
MADE = SuccessfulCall("double", "v-double-1", {"n": 5}, 10)


class Surroundings:
    """Every service of a memo: what was kept, by its key."""

    def __init__(self, tool: Tool | None = None, said: EarlierStatement | None = None) -> None:
        self._tool, self._said = tool or make_tool(), said or EarlierStatement()
        self.memo = self.memory = self.registry = self.search = self
        self.kept: dict[str, dict[str, Any]] = {}
        self.sources: list[str] = []
        self.expected: list[str] = []
        self.library = 1
        self.question = False
        self.private = ""

    def key(self, user: str, text: str, told: Any, library: int, session: str = "") -> str:
        return f"{user}|{text}|{','.join(told)}|{library}"

    def solved_key(self, user: str, text: str, told: Any, session: str = "") -> str:
        return f"solved|{user}|{text}|{','.join(told)}"

    def has(self, key: str) -> bool:
        return key in self.kept

    def state(self, user: str) -> tuple[str, ...]:
        return (f"memory of {user}",)

    def expect(self, text: str, tenant: str) -> None:
        self.expected.append(text)

    def storable(self, values: Any) -> bool:
        return not self.private or self.private not in str(values)

    async def revision(self) -> int:
        return self.library

    async def find(self, name: str) -> Any:
        if name == self._tool.name:
            return self._tool
        return self.kept.get(name)

    async def keep(
        self, key: str, source: str, answer: dict[str, Any], *, solved: bool = False
    ) -> None:
        assert solved == key.startswith("solved")
        self.kept[key] = answer
        self.sources.append(source)

    async def open(self, run: Run) -> Any:
        return SimpleNamespace() if self.question else None

    async def about(self, run: Run) -> EarlierStatement:
        return self._said


def memo_of(around: Surroundings) -> AnswerMemo:
    services = cast(Any, around)
    made = AnswerMemo(services, services, services, services)
    made._said = services  # pyright: ignore[reportPrivateUsage]
    return made


async def kept(around: Surroundings, answer: Answer = ANSWER, run: Run | None = None) -> bool:
    run = run or make_run()
    run.ledger.made = [MADE]
    await memo_of(around).remember(run, answer)
    return bool(around.kept)


def solution_task(code: str) -> Any:
    return SimpleNamespace(winner=SimpleNamespace(code=code))


async def test_what_is_kept_comes_back_as_it_was() -> None:
    around = Surroundings()
    assert await kept(around)
    run = make_run()
    again = await memo_of(around).remembered(run)
    assert again is not None and again.cached
    same = {"trace_id": "", "run_id": "", "session_id": "", "cached": False, "cost": ANSWER.cost}
    assert replace(again, **cast(Any, same)) == replace(ANSWER, **cast(Any, same))
    assert (again.run_id, again.session_id, again.trace_id) == ("run1", "s1", "t1")
    assert run.ledger.made == [MADE] and around.sources == ["v-double-1"]


@pytest.mark.parametrize(
    "other",
    [
        replace(ANSWER, status=AnswerStatus.FAILED),
        replace(ANSWER, result=None),
        replace(ANSWER, files=({"name": "a.csv"},)),
        replace(ANSWER, tool="gone"),
    ],
)
async def test_what_is_no_lasting_answer_is_not_kept(other: Answer) -> None:
    assert not await kept(Surroundings(), other)


@pytest.mark.parametrize(
    "tool",
    [
        make_tool(status=Status.EXPERIMENTAL),
        make_tool(status=Status.RETIRED),
        make_tool(produces=("csv",)),
        make_tool(effect=Effect.READS),
    ],
)
async def test_a_tool_that_may_give_something_else_next_time_is_asked_again(tool: Tool) -> None:
    assert not await kept(Surroundings(tool))


async def test_what_reads_given_files_is_kept_with_them(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("1")
    around = Surroundings(make_tool(effect=Effect.READS))
    assert await kept(around, run=make_run(files=(file,)))
    assert await memo_of(around).remembered(make_run(files=(file,))) is not None
    file.write_text("2")
    assert await memo_of(around).remembered(make_run(files=(file,))) is None


@pytest.mark.parametrize(
    "text", ["double that result", "Create a tool that doubles numbers", "and now for 6"]
)
async def test_words_that_lean_on_others_are_neither_kept_nor_found(text: str) -> None:
    around = Surroundings()
    assert not await kept(around, run=make_run(text))
    around.kept[around.key("ada", text, ["memory of ada"], 1)] = ANSWER.to_json()
    assert await memo_of(around).remembered(make_run(text)) is None


async def test_private_values_and_what_the_session_brought_are_not_kept() -> None:
    around = Surroundings()
    around.private = "10"
    assert not await kept(around)
    leaning = make_run()
    leaning.ledger.alone = False
    assert not await kept(Surroundings(), run=leaning)


@pytest.mark.parametrize(
    ("code", "sureness", "places"),
    [
        ("answer = 10", Sureness.SURE, ["ada", "solved"]),
        ("answer = 10", Sureness.LIKELY, ["ada", "solved"]),
        ("answer = 10", Sureness.UNSURE, ["solved"]),
        ("import datetime\nanswer = datetime.date.today().year", Sureness.SURE, []),
        ("", Sureness.SURE, []),
    ],
)
async def test_a_solved_answer_is_kept_while_it_stays_true(
    code: str, sureness: Sureness, places: list[str]
) -> None:
    run, around = make_run(), Surroundings()
    if code:
        run.ledger.proofs.append(solution_task(code))
    await kept(around, replace(ANSWER, tool=None, sureness=sureness), run)
    assert around.sources == [SOLUTION] * len(places)
    assert sorted(key.partition("|")[0] for key in around.kept) == places


async def solved_before(**changes: Any) -> tuple[Surroundings, Run]:
    """A request that solutions answered, with a tool that could not; and the same one again."""
    around, run = Surroundings(), make_run()
    run.ledger.proofs.append(solution_task("answer = 10"))
    run.ledger.tools["halve"] = make_tool("halve")
    await kept(around, replace(ANSWER, tool=None, session_id="s1", **changes), run)
    again = make_run()
    again.ledger.tools["halve"] = make_tool("halve")
    again.ledger.tools["double"] = make_tool()
    return around, again


async def test_solutions_are_not_written_twice_for_the_same_words() -> None:
    around, run = await solved_before()
    around.library = 7  # a larger library changes nothing while no tool fits
    memo = memo_of(around)
    answer = await memo.solved(run, None)
    assert answer is not None and (answer.result, answer.cached) == (10, True)
    assert await memo.solved(run, "halve") is not None  # it could not answer it then
    assert await memo.solved(run, "double") is None  # that one was not tried
    assert await memo.solved(make_run("double 6"), None) is None


async def test_a_tool_that_was_held_against_solutions_is_not_looked_at_again() -> None:
    unproved = make_tool(status=Status.EXPERIMENTAL)
    around, run = Surroundings(unproved), make_run()
    run.ledger.compared = True
    assert await kept(around, ANSWER, run)
    assert around.sources == [SOLUTION]  # an unproved tool's answer alone is not kept
    again = make_run()
    answer = await memo_of(around).solved(again, None)
    assert answer is not None and (answer.result, answer.tool) == (10, "double")
    assert [made.arguments for made in again.ledger.made] == [{"n": 5}]
    newer = Surroundings(make_tool(status=Status.EXPERIMENTAL, number=2))
    newer.kept = around.kept
    assert await memo_of(newer).solved(make_run(), None) is None  # it was mended since
    retired = Surroundings(make_tool(status=Status.RETIRED))
    retired.kept = around.kept
    assert await memo_of(retired).solved(make_run(), None) is None


async def test_what_a_tool_with_effects_gave_beside_solutions_is_not_kept() -> None:
    clock = make_tool(status=Status.EXPERIMENTAL, effect=Effect.READS)
    around, run = Surroundings(clock), make_run()
    run.ledger.compared = True
    assert not await kept(around, ANSWER, run)


@pytest.mark.parametrize("request_", [{"fresh": True}, {"model": "another"}])
async def test_whoever_wants_another_try_gets_one(request_: dict[str, Any]) -> None:
    around, _ = await solved_before()
    assert await memo_of(around).solved(make_run(**request_), None) is None


async def test_an_unsure_answer_is_not_repeated_to_who_asks_again_at_once() -> None:
    around, run = await solved_before(sureness=Sureness.UNSURE)
    assert await memo_of(around).solved(run, None) is None
    later = make_run()
    later.request = replace(later.request, session_id="s2")
    assert await memo_of(around).solved(later, None) is not None


async def test_a_solved_answer_that_was_refused_is_not_given_again() -> None:
    around, run = await solved_before()
    run.ledger.said = EarlierStatement(refused=(10,))
    assert await memo_of(around).solved(run, None) is None


async def test_another_library_has_no_answer_yet() -> None:
    around = Surroundings()
    around.library = 2  # it grew while the request was answered
    assert await kept(around)
    assert await memo_of(around).remembered(make_run()) is None
    later = make_run()
    later.seen = replace(later.seen, tools=2)
    assert await memo_of(around).remembered(later) is not None


async def test_an_open_question_goes_before_what_may_answer_it() -> None:
    around = Surroundings()
    await kept(around)
    around.question = True
    assert await memo_of(around).remembered(make_run()) is None
    long = "please double five for me as I forgot how sums are done by hand"
    await kept(around, run=make_run(long))
    assert await memo_of(around).remembered(make_run(long)) is not None


async def test_what_the_person_stated_is_the_answer() -> None:
    stated = EarlierStatement(known=True, value=12, refused=(10,), at="2026-03-01")
    around = Surroundings(said=stated)
    await kept(around)
    answer = await memo_of(around).remembered(make_run())
    assert answer is not None and (answer.result, answer.strategy) == (12, TOLD)
    refused = Surroundings(said=EarlierStatement(refused=(10,)))
    await kept(refused)
    run = make_run()
    assert await memo_of(refused).remembered(run) is None
    assert run.ledger.said.refused == (10,)


@pytest.mark.parametrize(
    ("text", "begins"),
    [("double 5", True), ("double that result", True), ("Create a tool that doubles", False)],
)
async def test_a_search_that_will_be_needed_begins_early(text: str, begins: bool) -> None:
    around, run = Surroundings(), make_run(text)
    await memo_of(around).anticipate(run.request, run.seen)
    assert around.expected == ([text] if begins else [])
    around.expected.clear()
    await kept(around)
    known = make_run("double 5")
    await memo_of(around).anticipate(known.request, known.seen)
    assert around.expected == []
