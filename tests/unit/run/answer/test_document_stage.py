"""The stage that looks into documents: when it does, what it answers, and what it leaves."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Answer
from hammerstone.library.documents.reading.read_document import DocumentKind
from hammerstone.library.skills.generate import DOCUMENTS
from hammerstone.run.answer.document_stage import ConsultStage, _open
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.stages import Work
from tests.unit.run.made_runs import make_run

SOLVING = Plan(Strategy.SOLVING, (PlanStep("1", "x", unfit=True),))
SURE = Plan(Strategy.SINGLE, (PlanStep("1", "x", "double"),))
UNSURE = Plan(Strategy.SINGLE, (PlanStep("1", "x", "double", beside_solution=True),))
ASKED = Plan(Strategy.SKILL, (PlanStep("1", "x", skill=DOCUMENTS),))
OTHER_SKILL = Plan(Strategy.SKILL, (PlanStep("1", "x", skill="other"),))
BUILDING = Plan(Strategy.BUILDING, (PlanStep("1", "x"),))
ANSWER = Answer(text="from a document")


class Shelf:
    """Documents, and what answers from them; notes what it is asked."""

    def __init__(self, about: float = 0.9, *, there: bool = True, table: bool = False) -> None:
        self.policy = SimpleNamespace(about_from=0.5)
        named = SimpleNamespace(document_id="d1") if table else None
        self.found: Any = SimpleNamespace(about=about, table=named)
        self.rows: list[Any] = []
        self.there, self.file = there, Path(__file__)
        self.asked: list[Any] = []

    async def any(self, user: str) -> bool:
        return self.there

    async def mentioned(self, words: str, user: str) -> list[Any]:
        return self.rows

    async def get(self, id: str, user: str) -> Any:
        assert (id, user) == ("d1", "ada")
        return row("prices.csv")

    def file_of(self, one: Any) -> Path:
        return self.file

    async def look(self, run: Any) -> Any:
        self.asked.append("look")
        return self.found

    async def answer(self, run: Any, found: Any, *, asked_for: bool) -> Answer:
        self.asked.append(("answer", asked_for))
        return ANSWER


def row(path: str, kind: Any = DocumentKind.TABLE) -> Any:
    return SimpleNamespace(path=path, kind=kind)


async def consulted(shelf: Shelf, plan: Plan | None, **work: Any) -> tuple[Answer | None, Work]:
    made = Work(make_run("How much is it?"), plan=plan, **work)
    me = cast(Any, shelf)
    return await ConsultStage(me, me)(made), made


@pytest.mark.parametrize(
    ("plan", "open"),
    [(SOLVING, True), (SURE, False), (UNSURE, True), (ASKED, True), (OTHER_SKILL, False),
     (BUILDING, False)],
)  # fmt: skip
async def test_documents_are_looked_into_where_no_tool_is_certain(plan: Plan, open: bool) -> None:
    assert _open(plan) is open
    shelf = Shelf()
    answer, _ = await consulted(shelf, plan)
    assert answer is (ANSWER if open else None)
    assert shelf.asked == (["look", ("answer", plan is ASKED)] if open else [])


@pytest.mark.parametrize(
    ("plan", "work"),
    [
        (None, {}),
        (SOLVING, {"given": {"n": 5}}),
        (Plan(Strategy.SEQUENCE, (PlanStep("1", "a"), PlanStep("2", "b"))), {}),
        (Plan(Strategy.SOLVING, SOLVING.steps, named=True), {}),
    ],
)
async def test_what_is_no_question_to_documents_is_left_alone(plan: Any, work: Any) -> None:
    shelf = Shelf()
    assert (await consulted(shelf, plan, **work))[0] is None
    assert shelf.asked == []


async def test_a_request_with_files_is_about_them_unless_documents_are_asked_for() -> None:
    shelf = Shelf()
    me = cast(Any, shelf)
    run = make_run("x", files=(Path(__file__),))
    assert await ConsultStage(me, me)(Work(run, plan=SOLVING)) is None
    assert await ConsultStage(me, me)(Work(run, plan=ASKED)) is ANSWER


async def test_without_documents_only_who_asks_for_them_is_told() -> None:
    assert (await consulted(Shelf(there=False), SOLVING))[0] is None
    answer, _ = await consulted(Shelf(there=False), ASKED)
    assert answer is not None and answer.text == "There are no documents to look into."
    run = make_run("x")
    run.seen = cast(Any, SimpleNamespace(documents=False, owner=None))
    me = cast(Any, Shelf())
    assert await ConsultStage(me, me)(Work(run, plan=SOLVING)) is None


@pytest.mark.parametrize(
    ("about", "plan", "answered"),
    [(0.5, SOLVING, True), (0.25, SOLVING, True), (0.24, SOLVING, False), (0.0, ASKED, True)],
)
async def test_passages_that_are_about_something_else_are_not_quoted(
    about: float, plan: Plan, answered: bool
) -> None:
    assert ((await consulted(Shelf(about), plan))[0] is ANSWER) is answered


async def test_where_nothing_is_found_only_who_asks_is_told() -> None:
    shelf = Shelf()
    shelf.found = None
    assert (await consulted(shelf, SOLVING))[0] is None
    answer, _ = await consulted(shelf, ASKED)
    assert answer is not None and answer is not ANSWER


async def test_a_table_is_left_to_the_solver_with_its_file() -> None:
    answer, work = await consulted(Shelf(0.5, table=True), SURE)
    assert answer is None and work.plan is SURE  # a tool is certain
    answer, work = await consulted(Shelf(0.5, table=True), SOLVING)
    assert answer is None and work.run.files == (Path(__file__),)
    assert work.plan is not None and work.plan.strategy is Strategy.SOLVING
    assert work.plan.last.unfit and work.plan.why == "found the table prices.csv in the documents"
    assert work.run.ledger.alone is False
    answer, work = await consulted(Shelf(0.49, table=True), SOLVING)
    assert answer is ANSWER and work.run.files == ()


@pytest.mark.parametrize(
    ("rows", "taken"),
    [
        ([row("a.csv")], True),
        ([row("a.csv"), row("b.md", DocumentKind.TEXT)], True),
        ([row("a.csv"), row("b.csv")], False),
        ([row("b.md", DocumentKind.TEXT)], False),
    ],
)
async def test_the_one_table_that_the_words_name_is_taken(rows: list[Any], taken: bool) -> None:
    shelf = Shelf()
    shelf.rows = rows
    _, work = await consulted(shelf, SURE)
    assert (work.run.files == (Path(__file__),)) is taken
    assert shelf.asked == []


async def test_a_table_whose_file_is_gone_changes_nothing(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.rows, shelf.file = [row("a.csv")], tmp_path / "gone.csv"
    answer, work = await consulted(shelf, SOLVING)
    assert (answer, work.plan, work.run.files) == (None, SOLVING, ())
    assert work.run.ledger.alone
