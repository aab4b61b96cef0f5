"""Compound requests, follow-ups, prose and failures, told by their words."""

import pytest

from hammerstone.core.calls import Failure
from hammerstone.core.tools import Spec
from hammerstone.run.act.execute import Executed
from hammerstone.run.act.recover import Remedy, Trouble, remedies, trouble_of
from hammerstone.run.answer.prose import wants_prose
from hammerstone.run.bind.grounding import settle
from hammerstone.run.find.discover import in_search_words
from hammerstone.run.request import Request
from hammerstone.run.understand.follow_ups import is_follow_up
from hammerstone.run.understand.request_parts import is_strong, leans_back, looks_complex, parts_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What is 17.5% of 240?", 1),
        ("What is the mean and median of [1, 2]?", 1),
        ("Reverse 'a; then b'", 1),
        ("Reverse the word 'stone' and then count its letters", 2),
        ("Sort [3, 1] and sum the first two. Then double it.", 3),
        ("What is 10% of 50? Is 97 a prime?", 2),
    ],
)
def test_parts_of_a_request(text: str, parts: int) -> None:
    assert len(parts_of(text)) == parts


def test_how_parts_hang_together() -> None:
    assert is_strong("Sort it, then count it") and not is_strong("sort and count it")
    assert leans_back("count its letters") and not leans_back("count the letters of 'it'")
    assert looks_complex("I want these sorted and summed") and not looks_complex("What is 2 + 2?")


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("what about 30%?", True),
        ("No, I meant 20%", True),
        ("and for 200?", True),
        ("use 5 instead of 3", True),
        ("What is 30% of 50?", False),
        ("Andrea has 3 apples", False),
    ],
)
def test_follow_ups(text: str, follows: bool) -> None:
    assert is_follow_up(text) is follows
    assert Request(text, "s", "u").refers_back or not follows


def test_prose_is_wanted_only_when_asked_for() -> None:
    assert wants_prose("Explain the result") and wants_prose("Write a sentence about it")
    assert not wants_prose("Reverse 'explain this'") and not wants_prose("What is 5!?")


def test_search_reads_signs_as_words_and_leaves_data_out() -> None:
    assert in_search_words("10% of [1, 2]") == "10 percent of [1, 2]"
    assert in_search_words('sort [{"a": 1}, {"a": 2}] by a') == "sort the rows of a table by a"


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
    order = [Remedy.ANOTHER_TOOL, Remedy.REPAIR, Remedy.BUILD]
    assert list(remedies(Trouble.BUG, tight=False)) == order
    assert list(remedies(Trouble.BUG, tight=True)) == [Remedy.REPAIR]


def test_what_a_model_makes_up_is_not_passed_on() -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "unit": {"type": "string"},
        },
        "required": ["city", "days"],
    }
    spec = Spec("weather", "", schema, {})
    values = {"city": "Oslo", "days": 3, "unit": "kelvin"}
    settled = settle(spec, dict(values), "weather in Oslo", certain={})
    assert settled.values == {"city": "Oslo", "days": 3}
    assert settled.invented == ("days",)
    told = settle(spec, dict(values), "weather in Oslo for 3 days in kelvin", certain={})
    assert (told.values, told.invented) == (values, ())


def test_how_often_in_a_year_is_an_amount_in_words() -> None:
    schema = {
        "type": "object",
        "properties": {"rate": {"type": "number"}, "periods": {"type": "integer"}},
        "required": ["rate"],
    }
    spec = Spec("interest", "", schema, {})
    values = {"rate": 0.05, "periods": 12}
    monthly = settle(spec, dict(values), "interest of 5% with monthly compounding", certain={})
    assert monthly.values == values
    assert settle(spec, dict(values), "interest of 5%", certain={}).values == {"rate": 0.05}
