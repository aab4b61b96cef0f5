"""One name for all ways to write the same call."""

from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.hashing import call_key, canonical, digest


def test_key_order_and_number_spelling_do_not_count() -> None:
    assert call_key("v", {"a": 1, "b": [2.0]}) == call_key("v", {"b": [2], "a": 1.0})


def test_truth_is_not_a_number() -> None:
    assert canonical({"a": True}) != canonical({"a": 1})


def test_texts_that_only_look_the_same_stay_apart() -> None:
    assert call_key("v", {"text": "e\u0301"}) != call_key("v", {"text": "\u00e9"})


def test_another_version_is_another_call() -> None:
    assert call_key("v1", {}) != call_key("v2", {})


@given(st.lists(st.text(), min_size=1), st.lists(st.text(), min_size=1))
def test_borders_between_parts_cannot_move(left: list[str], right: list[str]) -> None:
    assert (digest(*left) == digest(*right)) == (left == right)
