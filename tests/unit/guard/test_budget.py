"""Budgets: refused before the call, counted after it, nested, shared by tasks."""

import asyncio

import pytest

from hammerstone.core.chat import Usage
from hammerstone.core.errors import BudgetExceeded
from hammerstone.guard.budget import Budget, JointAllowance


def used(tokens: int = 0, calls: int = 1, usd: float = 0.0) -> Usage:
    return Usage(prompt_tokens=tokens, calls=calls, usd=usd)


def test_the_defaults_are_those_of_a_request() -> None:
    allowed = Budget().allowed
    assert (allowed.tokens, allowed.model_calls, allowed.steps, allowed.usd) == (
        10_000,
        20,
        10,
        0.5,
    )


@pytest.mark.parametrize(
    ("spent", "tokens", "calls", "what"),
    [
        (used(calls=20), 0, 1, "model calls"),
        (used(calls=17), 0, 4, "model calls"),
        (used(tokens=10_000), 0, 1, "tokens"),
        (used(tokens=9_000), 1_001, 1, "tokens"),
        (used(usd=0.5), 0, 1, "USD"),
    ],
)
def test_a_call_that_would_be_too_much_is_refused_with_what_was_spent(
    spent: Usage, tokens: int, calls: int, what: str
) -> None:
    budget = Budget()
    budget.spend(spent)
    with pytest.raises(BudgetExceeded) as caught:
        budget.check(tokens, calls)
    assert caught.value.data["what"] == what
    assert caught.value.data["spent"]["tokens"] == spent.tokens
    assert caught.value.data["spent"]["model_calls"] == spent.calls
    assert "for one request" in str(caught.value)


def test_up_to_the_limit_is_allowed() -> None:
    budget = Budget()
    budget.spend(used(tokens=9_000, calls=19, usd=0.49))
    budget.check(tokens=1_000, calls=1)


def test_tokens_from_the_prompt_cache_count_zero() -> None:
    budget = Budget(tokens=100)
    budget.spend(Usage(prompt_tokens=5_000, cached_tokens=4_990, calls=1))
    budget.check(tokens=90)
    with pytest.raises(BudgetExceeded):
        budget.check(tokens=91)


def test_steps() -> None:
    budget = Budget(steps=2)
    budget.step()
    budget.step()
    with pytest.raises(BudgetExceeded, match="2 steps"):
        budget.step()
    assert budget.steps == 2


def test_a_child_has_its_own_limits_and_its_cost_shows_in_the_parent() -> None:
    request = Budget(tokens=1_000)
    building = request.child(tokens=30_000, model_calls=40)
    building.spend(used(tokens=20_000, calls=5, usd=0.1))
    assert request.spent.tokens == 20_000
    assert request.spent.calls == 5
    request.check(tokens=900)  # its own thousand is untouched
    with pytest.raises(BudgetExceeded, match="for one building"):
        building.check(tokens=10_001)
    request.spend(used(tokens=950))
    building.check(tokens=9_000)
    assert building.spent.tokens == 20_000


async def test_calls_at_the_same_time_cannot_pass_the_limit_together() -> None:
    budget = Budget(model_calls=5, tokens=500)
    running = most = refused = 0

    async def call() -> None:
        nonlocal running, most, refused
        try:
            with budget.reserve(tokens=100):
                running += 1
                most = max(most, running)
                await asyncio.sleep(0.001)
                budget.spend(used(tokens=100))
                running -= 1
        except BudgetExceeded:
            refused += 1

    await asyncio.gather(*(call() for _ in range(30)))
    assert budget.spent.calls == 5
    assert (most, refused) == (5, 25)


def test_a_failed_call_gives_back_what_it_held() -> None:
    budget = Budget(model_calls=1)
    with pytest.raises(ConnectionError), budget.reserve(tokens=10_000):
        raise ConnectionError
    budget.check(tokens=10_000)


def test_tight_when_little_is_left() -> None:
    budget = Budget(tokens=100)
    assert not budget.tight
    budget.spend(used(tokens=76))
    assert budget.tight


def test_no_limit() -> None:
    budget = Budget(tokens=None, model_calls=None, steps=None, usd=None)
    budget.spend(used(tokens=10**9, calls=10**6, usd=1e6))
    budget.check(tokens=10**9, calls=10**6)
    budget.step()


def test_joint_limits_each_count_and_each_refuse() -> None:
    request, repair = Budget(tokens=300, model_calls=3), Budget(tokens=200, model_calls=2)
    both = JointAllowance((repair, request))
    with both.reserve(tokens=100):
        both.spend(used(tokens=90))
    assert (request.spent.tokens, repair.spent.tokens) == (90, 90)
    request.spend(used(tokens=200))
    with pytest.raises(BudgetExceeded, match="request"), both.reserve(tokens=100):
        raise AssertionError("there is no room")
    repair.check(tokens=100)  # what could not be had together is not held by one
