"""Failures and their remedies."""

import pytest

from hammerstone.core.calls import Failure, FailureKind
from hammerstone.run.act.recover import Remedy, kind_of_failure, remedies
from hammerstone.run.act.step_outcome import CallExecution


@pytest.mark.parametrize(
    ("executed", "kind"),
    [
        (
            CallExecution(None, Failure.RAISED, "x", error_type="ValueError"),
            FailureKind.BAD_ARGUMENT,
        ),
        (CallExecution(None, Failure.RAISED, "x", error_type="NameError"), FailureKind.BUG),
        (
            CallExecution(None, Failure.RAISED, "x", error_type="ModuleNotFoundError"),
            FailureKind.ENVIRONMENT,
        ),
        (
            CallExecution(None, Failure.RAISED, "x", error_type="NotImplementedError"),
            FailureKind.MISSING_CAPABILITY,
        ),
        (CallExecution(None, Failure.LOST, "x"), FailureKind.TRANSIENT),
        (CallExecution(None, Failure.TIMEOUT, "x"), FailureKind.ENVIRONMENT),
    ],
)
def test_failures_are_classified(executed: CallExecution, kind: FailureKind) -> None:
    assert kind_of_failure(executed) is kind


def test_a_tight_budget_explores_nothing() -> None:
    order = [Remedy.ANOTHER_TOOL, Remedy.REPAIR]
    assert list(remedies(FailureKind.BUG, tight=False)) == order
    assert list(remedies(FailureKind.BUG, tight=True)) == [Remedy.REPAIR]
