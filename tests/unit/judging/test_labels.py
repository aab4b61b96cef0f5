"""Results that a person would call equal are equal, and no others."""

import math

import pytest

from hammerstone.core import wire
from hammerstone.core.calls import Call, Failure, Outcome
from hammerstone.core.tools import Case, CaseKind, Spec
from hammerstone.judging.equality import same
from hammerstone.judging.labels import Labels, leaves_order_open


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (0.1 + 0.2, 0.3),
        (1, 1.0),
        (True, 1),
        (math.nan, math.nan),
        ([1.0, [math.nan]], [1, [math.nan]]),
        ({"a": 0.30000000000000004}, {"a": 0.3}),
        ({1, 2}, {2, 1}),
        (wire.Table(["a"], [[0.30000000000000004]]), wire.Table(["a"], [[0.3]])),
    ],
)
def test_equal(left: object, right: object) -> None:
    assert same(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, "1"),
        ([1, 2], (1, 2)),
        ([1, 2], [2, 1]),
        (None, 0),
        (None, False),
        (1.0, 1.001),
        (10**20, 10**20 + 1),
        ({"a": 1}, {"a": 1, "b": 2}),
        (math.nan, 0.0),
        (math.inf, -math.inf),
        (wire.Table(["a"], [[1]]), wire.Table(["b"], [[1]])),
    ],
)
def test_different(left: object, right: object) -> None:
    assert not same(left, right)


def test_loose_lets_the_container_be_open() -> None:
    assert same([1, 2], (1, 2), loose=True)
    assert same({1, 2}, [2, 1], loose=True)
    assert not same([1, 2], (2, 1), loose=True)


def test_labels_of_one_input() -> None:
    labels = Labels()
    first = labels.of(Outcome(value=0.3))
    assert labels.of(Outcome(value=0.1 + 0.2)) == first
    assert labels.of(Outcome(value=0.4)) != first
    assert labels.of(Outcome(failure=Failure.RAISED, error_type="ValueError")) == Labels.RAISED
    assert labels.of(Outcome(failure=Failure.TIMEOUT)) == Labels.BROKEN
    assert labels.find(0.5) is None


def spec(description: str, returns: str = "array") -> Spec:
    return Spec("f", description, {"type": "object"}, {"type": returns})


def test_the_order_is_open_only_where_the_spec_says_so() -> None:
    assert leaves_order_open(spec("The common items, in any order."))
    assert leaves_order_open(spec("Distinct words; the order does not matter."))
    assert not leaves_order_open(spec("The words sorted by length."))
    assert not leaves_order_open(spec("Whether two lists match in any order.", "boolean"))
    assert not leaves_order_open(None)


def test_open_order_compares_items_with_their_counts() -> None:
    labels = Labels(unordered=True)
    first = labels.of_value([1, 2, 2])
    assert labels.of_value([2, 1, 2]) == first
    assert labels.of_value([2, 1]) != first
    assert Labels().of_value([1, 2]) == 0


def test_an_example_that_compares_sets_leaves_the_order_open():
    def example(check: str) -> Case:
        return Case(CaseKind.PROPERTY, Call(source="f(1)"), check=check, origin="user")

    assert leaves_order_open(None, [example("set(result) == {1, 2}")])
    assert leaves_order_open(None, [example("sorted(result) == [1, 2]")])
    assert not leaves_order_open(None, [example("len(result) == 2")])
    assert not leaves_order_open(None)
