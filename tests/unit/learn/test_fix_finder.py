"""A fix is looked for from every point of view, and what meets the cases is compared."""

from collections.abc import Sequence
from typing import Any

from hammerstone.core.calls import Call
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.tools import Case, CaseKind
from hammerstone.learn.policies import RepairPolicy
from hammerstone.learn.repair.choice import EDIT, FIX, REWRITE
from hammerstone.learn.repair.complaint import Complaint
from hammerstone.learn.repair.fix import FixFinder, Search
from tests.unit.own_code import OwnCodeSandbox

FAULTY = "def total(xs):\n    return sum(xs) - 1\n"
RIGHT = "def total(xs):\n    return sum(xs)\n"
OTHER = "def total(xs):\n    return 6 if len(xs) == 3 else 0\n"
SILENT = "def total(xs):\n    return sum(xs) if xs[0] else 0\n"
MARK = RepairPolicy().promote


def case(source: str, expected: Any) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected)


COMPLAINT = Complaint("total", FAULTY, "def total(xs): ...", case("total([1, 2, 3])", 6))


class Author:
    """Writes the given programs in turn, and remembers what it was asked for."""

    def __init__(self, fixes: Sequence[str], rewrites: Sequence[str] = (), budget: int = 99):
        self._left = {FIX: list(fixes), REWRITE: list(rewrites)}
        self._budget = budget
        self.asked: list[tuple[str, int, float]] = []

    async def fix(
        self, complaint: Complaint, *, samples: int, temperature: float, passed: Sequence[Case] = ()
    ) -> list[str]:
        return self._write(FIX, samples, temperature)

    async def rewrite(self, complaint: Complaint, *, samples: int, temperature: float) -> list[str]:
        return self._write(REWRITE, samples, temperature)

    def _write(self, way: str, samples: int, temperature: float) -> list[str]:
        if self._budget < samples:
            raise BudgetExceeded("no tokens are left")
        self._budget -= samples
        self.asked.append((way, samples, temperature))
        given, self._left[way] = self._left[way][:samples], self._left[way][samples:]
        return given


async def found(author: Author | None, **policy: Any) -> Search:
    finder = FixFinder(OwnCodeSandbox(), author, RepairPolicy(probes=20, **policy))
    return await finder.find(COMPLAINT)


async def test_the_model_is_asked_from_both_points_of_view_even_where_an_edit_fits():
    author = Author([RIGHT] * 4, [RIGHT] * 4)
    search = await found(author)
    assert author.asked == [(FIX, 1, 0.0), (FIX, 3, 0.8), (REWRITE, 1, 0.0), (REWRITE, 3, 0.8)]
    assert search.samples == 8
    assert {one.origin for one in search.alive} == {EDIT, FIX, REWRITE}
    assert search.choice is not None and search.choice.candidate.code == RIGHT
    assert search.confidence >= MARK


async def test_the_policy_says_how_many_samples():
    author = Author([RIGHT] * 2, [RIGHT])
    search = await found(author, samples=2, rewrites=1)
    assert author.asked == [(FIX, 1, 0.0), (FIX, 1, 0.8), (REWRITE, 1, 0.0)]
    assert search.samples == 3


async def test_without_a_model_there_are_edits_which_are_never_sure_enough():
    search = await found(None)
    assert search.choice is not None and search.choice.candidate.origin == EDIT
    assert search.confidence < MARK


async def test_a_fix_that_meets_the_failing_call_alone_does_not_pass_for_right():
    search = await found(Author([OTHER, FAULTY, FAULTY, FAULTY], [FAULTY] * 4))
    assert search.confidence < MARK


async def test_samples_that_part_on_made_up_inputs_are_refused():
    search = await found(Author([OTHER] * 4, [RIGHT] * 4), edits=0)
    assert len(search.behaviours) == 2
    assert search.confidence < MARK


async def test_a_fix_that_fails_where_the_faulty_program_answered_is_refused():
    search = await found(Author([SILENT] * 4, [SILENT] * 4), edits=0)
    assert search.choice is not None and search.choice.features["lost"] == 1.0
    assert search.confidence < MARK


async def test_what_was_written_before_the_money_ran_out_is_heard():
    author = Author([RIGHT] * 4, [RIGHT] * 4, budget=4)
    search = await found(author)
    assert [way for way, _, _ in author.asked] == [FIX, FIX]
    assert search.samples == 4
    assert search.choice is not None and search.choice.candidate.code == RIGHT


async def test_nothing_that_meets_the_failing_call_is_no_choice():
    search = await found(Author([FAULTY] * 4, [FAULTY] * 4), edits=0)
    assert search.choice is None and search.confidence == 0.0
