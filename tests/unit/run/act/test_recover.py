"""Failures and their remedies."""

import pytest

from hammerstone.core.calls import Failure
from hammerstone.run.act.execute import Executed
from hammerstone.run.act.recover import Remedy, Trouble, remedies, trouble_of


@pytest.mark.parametrize(
    ("executed", "trouble"),
    [
        (Executed(None, Failure.RAISED, "x", error_type="ValueError"), Trouble.BAD_ARGUMENT),
        (Executed(None, Failure.RAISED, "x", error_type="NameError"), Trouble.BUG),
        (
            Executed(None, Failure.RAISED, "x", error_type="ModuleNotFoundError"),
            Trouble.ENVIRONMENT,
        ),
        (Executed(None, Failure.RAISED, "x", error_type="NotImplementedError"), Trouble.MISSING),
        (Executed(None, Failure.LOST, "x"), Trouble.TRANSIENT),
        (Executed(None, Failure.TIMEOUT, "x"), Trouble.ENVIRONMENT),
        (Executed("5"), Trouble.BUG),
    ],
)
def test_failures_are_classified(executed: Executed, trouble: Trouble) -> None:
    assert trouble_of(executed, "it is not a number") is trouble


def test_a_tight_budget_explores_nothing() -> None:
    order = [Remedy.ANOTHER_TOOL, Remedy.REPAIR]
    assert list(remedies(Trouble.BUG, tight=False)) == order
    assert list(remedies(Trouble.BUG, tight=True)) == [Remedy.REPAIR]
