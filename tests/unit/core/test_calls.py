"""The line that an error is stored as, and the type that it is read from."""

import pytest

from hammerstone.core.calls import Failure, Outcome, error_type_of


@pytest.mark.parametrize(
    ("outcome", "line", "type"),
    [
        (Outcome(1), "", ""),
        (Outcome(failure=Failure.RAISED, error_type="ValueError", error="no: never"),
         "ValueError: no: never", "ValueError"),
        (Outcome(failure=Failure.RAISED, error_type="KeyError"), "KeyError", "KeyError"),
        (Outcome(failure=Failure.OUTPUT, error="too much"), "too much", "too much"),
        (Outcome(failure=Failure.TIMEOUT), "timeout", "timeout"),
    ],
)  # fmt: skip
def test_an_error_is_one_line_that_begins_with_its_type(
    outcome: Outcome, line: str, type: str
) -> None:
    assert outcome.error_line == line
    assert error_type_of(line) == type
