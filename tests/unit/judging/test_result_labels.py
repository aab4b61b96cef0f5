"""Labels are equal where results are, and stay when more results come."""

import pytest

from hammerstone.core.calls import Call, Failure, Outcome
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Case, CaseKind, Spec
from hammerstone.judging.labels import Labels, leaves_order_open


def test_labels_count_up_from_zero_and_stay() -> None:
    labels = Labels()
    assert [labels.of_value(value) for value in (5, "a", 5.0, 6, "a")] == [0, 1, 0, 2, 1]
    assert labels.values == [5, "a", 6]
    assert labels.find("a") == 1
    assert labels.find(6.0000000001) == 2
    assert labels.find("b") is None
    assert labels.values == [5, "a", 6]


@pytest.mark.parametrize("failure", [kind for kind in Failure if kind is not Failure.RAISED])
def test_a_failure_that_the_code_did_not_raise_is_broken(failure: Failure) -> None:
    assert Labels().of(Outcome(failure=failure)) == Labels.BROKEN == -2


def test_an_error_has_one_label_whatever_its_kind() -> None:
    labels = Labels()
    kinds = [Outcome(failure=Failure.RAISED, error_type=name) for name in ("KeyError", "OSError")]
    assert {labels.of(outcome) for outcome in kinds} == {Labels.RAISED} == {-1}
    assert labels.of(Outcome(value=None)) == 0


TUPLE: Json = {"$tuple": [1, 2]}
SET: Json = {"$set": [2, 1]}


@pytest.mark.parametrize(
    ("labels", "count"),
    [(Labels(), 4), (Labels(loose=True), 2), (Labels(unordered=True), 1)],
)
def test_which_containers_are_the_same(labels: Labels, count: int) -> None:
    for value in ([1, 2], TUPLE, SET, [2, 1]):
        labels.of_value(value)
    assert len(labels.values) == count


def test_open_order_leaves_records_and_texts_as_they_are() -> None:
    labels = Labels(unordered=True)
    assert labels.of_value("ab") != labels.of_value("ba")
    assert labels.of_value({"a": [1, 2]}) != labels.of_value({"a": [2, 1]})


@pytest.mark.parametrize(
    ("description", "returns", "is_open"),
    [
        ("Items in any order.", {"type": "array"}, True),
        ("Items IN ANY ORDER.", {}, True),
        ("Items.", {"type": "array", "description": "order is not important"}, True),
        ("Items as a set.", {"type": "array"}, True),
        ("Unordered items.", {"type": "array"}, True),
        ("Items in any order.", {"type": "string"}, False),
        ("Items in order.", {"type": "array"}, False),
    ],
)
def test_words_that_leave_the_order_open(
    description: str, returns: JsonObject, is_open: bool
) -> None:
    assert leaves_order_open(Spec("f", description, {}, returns)) is is_open


def test_an_example_outweighs_a_silent_spec() -> None:
    spec = Spec("f", "The items.", {}, {"type": "string"})
    cases = [
        Case(CaseKind.PROPERTY, Call(), check="len(result) == 2"),
        Case(CaseKind.PROPERTY, Call(), check="Counter(result) == Counter([1])"),
    ]
    assert leaves_order_open(spec, cases)
    assert not leaves_order_open(spec, cases[:1])
