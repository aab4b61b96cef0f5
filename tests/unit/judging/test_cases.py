"""Whether an outcome is what a case asks for: one rule for suites, repairs, merges, examples."""

from collections.abc import Sequence
from typing import Any, cast

import pytest

from hammerstone.core.calls import Call, Failure, Outcome, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.cases import (
    ANY_VALUE,
    accepted_labels,
    is_another_error,
    meets,
    passes,
)
from hammerstone.judging.equality import same_answer
from hammerstone.judging.labels import Labels

CALL = Call(source="f(1)")
REFUSED = Outcome(failure=Failure.RAISED, error_type="ValueError")


def value(expected: Json) -> Case:
    return Case(CaseKind.VALUE, CALL, expected)


def raises(expected: Json = None) -> Case:
    return Case(CaseKind.RAISES, CALL, expected)


def about(check: str) -> Case:
    return Case(CaseKind.PROPERTY, CALL, check=check)


@pytest.mark.parametrize(
    ("case", "outcome", "met"),
    [
        (value(0.3), Outcome(value=0.1 + 0.2), True),
        (value([1, 2]), Outcome(value=[1, 2]), True),
        (value([1, 2]), Outcome(value={"$tuple": [1, 2]}), False),
        (value(None), Outcome(), True),
        (value(None), REFUSED, False),
        (value(1), Outcome(failure=Failure.TIMEOUT), False),
        (raises(), REFUSED, True),
        (raises("KeyError"), REFUSED, True),
        (raises(), Outcome(value=1), False),
        (raises(), Outcome(failure=Failure.TIMEOUT), False),
    ],
)
def test_values_and_errors(case: Case, outcome: Outcome, met: bool) -> None:
    assert meets(case, outcome) is met
    labels = Labels()
    assert (labels.of(outcome) in accepted_labels(case, labels)) is met


def test_a_named_error_takes_no_other() -> None:
    assert meets(raises("ValueError"), REFUSED, named=True)
    assert not meets(raises("KeyError"), REFUSED, named=True)
    for anything in (None, "", "Exception"):
        assert meets(raises(anything), REFUSED, named=True)
    assert is_another_error(raises("KeyError"), REFUSED)
    assert not is_another_error(value(1), REFUSED)


def test_a_person_is_content_with_the_same_answer() -> None:
    assert not meets(value("20 minutes"), Outcome(value=20))
    assert meets(value("20 minutes"), Outcome(value=20), equal=same_answer)


class Checking:
    """A sandbox in which every property holds for even numbers; keeps what it was shown."""

    backend = "table"

    def __init__(self) -> None:
        self.programs: list[Program] = []

    async def matrix(
        self, programs: Sequence[Program], calls: Sequence[Call], **_: Any
    ) -> list[list[Outcome]]:
        self.programs += programs
        values = [cast(int, call.args[0]) for call in calls]
        return [[Outcome(value=each % 2 == 0) for each in values]]


async def test_a_property_is_looked_at_without_the_candidate() -> None:
    sandbox = Checking()
    asked = cast(Sandbox, sandbox)
    assert await passes(about("result % 2 == 0"), Outcome(value=4), asked)
    assert not await passes(about("result % 2 == 0"), Outcome(value=3), asked)
    assert "result % 2 == 0" in sandbox.programs[0].code
    assert "def f" not in sandbox.programs[0].code


async def test_what_needs_no_sandbox_asks_none() -> None:
    nowhere = cast(Sandbox, None)
    assert await passes(about(ANY_VALUE), Outcome(value=0), nowhere)
    assert await passes(about(""), Outcome(value=0), nowhere)
    assert not await passes(about("result > 1"), REFUSED, nowhere)
    assert await passes(value(3), Outcome(value=3), nowhere)
