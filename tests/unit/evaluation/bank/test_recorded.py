"""Recorded authors hand out what they wrote, and not what they may not know."""

from hammerstone.evaluation.bank.evaluate import witnesses_of
from hammerstone.evaluation.bank.recorded import RecordedWitnesses
from hammerstone.evaluation.bank.tasks import BankTask
from hammerstone.synthesis.examine.examination import ALL, Ingredients

SPEC = 'def f(x):\n    """Add one.\n    >>> f(1)\n    2\n    >>> f(5)\n    6\n    """\n'
TASK = BankTask(
    id="t",
    name="f",
    spec=SPEC,
    candidates=tuple(f"code {n}" for n in range(9)),
    suites=(("assert f(1) == 2", "assert f(7) == 8"), ("assert f(5) == 6",), ("assert f(0) == 1",)),
    correct=None,
    reference=None,
)


async def test_the_best_guess_stays_the_first_when_the_others_are_shuffled() -> None:
    plain, mixed = RecordedWitnesses(TASK), RecordedWitnesses(TASK, 3)
    first, second = await plain.candidates(9), await mixed.candidates(9)
    assert first[0] == second[0]
    assert first != second
    assert sorted(first) == sorted(second)


async def test_examples_that_are_left_out_are_left_out_of_the_suites_too() -> None:
    assert await witnesses_of(TASK, ALL).suites(3) == [list(suite) for suite in TASK.suites]
    stripped = await witnesses_of(TASK, Ingredients(examples=0)).suites(3)
    assert stripped == [["assert f(7) == 8"], [], ["assert f(0) == 1"]]
    one = await witnesses_of(TASK, Ingredients(examples=1)).suites(3)
    assert one == [["assert f(1) == 2", "assert f(7) == 8"], [], ["assert f(0) == 1"]]
