"""The made needs, what is kept out of training, and how solutions are judged."""

import json
import random
from pathlib import Path

import pytest

from hammerstone.prompts import load
from training.filter import chosen, judged_row, summary
from training.kept_out import FAMILIES, KeptOut, key_of, keys_in
from training.needs.all_needs import FIELDS, KEPT_OUT, NEEDS
from training.requests import kind_rows, need_rows
from training.solutions import Judged, is_right, judge, moved_call, run_plain

EVALS = Path(__file__).parents[2] / "evals" / "data"
TESTS = ("plain_requests.jsonl", "ten_requests.jsonl", "conversations.json")


def test_there_are_many_needs_in_every_field() -> None:
    names = [need.name for need in NEEDS]
    assert len(names) == len(set(names)) >= 200
    assert len(NEEDS) - len(KEPT_OUT) >= 150 and len(KEPT_OUT) >= 20
    assert {field.field for field in FIELDS} == {
        *("dates", "times", "units", "money", "text", "lists", "tables", "json"),
        *("statistics", "geometry", "logic"),
    }
    assert not set(names) & FAMILIES


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.name)
def test_each_need_has_wordings_values_and_an_answer(need) -> None:
    assert len(set(need.wordings)) >= 3
    chance = random.Random(need.name)
    drawn = [need.draw(chance) for _ in range(12)]
    answers = [json.dumps(need.answer(**values)) for values in drawn]
    assert len(set(answers)) > 1, "the answer depends on the values"
    for wording in need.wordings:
        texts = {wording.format(**values) for values in drawn}
        assert len(texts) > 1


def test_requests_kept_for_testing_never_enter() -> None:
    apart = KeptOut.load()
    keys = set(keys_in(EVALS / name for name in TESTS))
    assert keys and keys <= apart.keys, "listed by hash: python -m training.prepare"
    assert len(apart.keys) > 500, "the public requests are listed too"
    rows = [*need_rows(8), *kind_rows()]
    assert not [row["q"] for row in rows if apart.holds(row["q"])]
    assert apart.holds("what is  12.5% of 640") and not apart.holds("What is 12.5% of 641?")
    assert key_of("A b!") == key_of("a, B")


def test_held_needs_are_not_among_the_trained_ones() -> None:
    trained, held = need_rows(2), need_rows(2, kept_out=True)
    assert not {row["need"] for row in trained} & {row["need"] for row in held}
    assert need_rows(2) == trained, "the same each time"


def test_prompts_are_the_products_own() -> None:
    from training.prepare import solve_messages

    filled = load("solve").fill(request="What is 2 + 2?", notes="")
    assert solve_messages("What is 2 + 2?") == [
        {"role": one.author, "content": one.text} for one in filled
    ]


ROW = {
    "id": "r",
    "q": "Add 40 days to 2024-03-01.",
    "check": "value",
    "want": "2024-04-10",
    "values": {"start": "2024-03-01", "days": 40},
    "others": [
        {"values": {"start": "2023-12-30", "days": 3}, "want": "2024-01-02"},
        {"values": {"start": "2024-02-28", "days": 1}, "want": "2024-02-29"},
    ],
}
GENERAL = """```python
# asked: the date 40 days later
# add the days to the date
from datetime import date, timedelta


def later(start, days):
    return (date.fromisoformat(start) + timedelta(days=days)).isoformat()


answer = later("2024-03-01", 40)
```"""
DATE_OBJECT = GENERAL.replace("date.fromisoformat(start)", "start").replace(
    '"2024-03-01", 40', "date(2024, 3, 1), 40"
)
FIXED = GENERAL.replace("timedelta(days=days)", "timedelta(days=40)")
GUESS = GENERAL.replace(
    "(date.fromisoformat(start) + timedelta(days=days)).isoformat()", '"2024-04-10"'
)


def unused(_row: object, _value: object) -> bool:
    raise AssertionError("made needs have their own check")


@pytest.mark.parametrize(
    ("text", "right", "general"),
    [
        (GENERAL, True, True),
        (DATE_OBJECT, True, True),
        (FIXED, True, False),
        (GUESS, True, False),
        (GENERAL.replace("+ timedelta", "- timedelta"), False, False),
        (GENERAL.replace("answer = later", "while True: pass\nanswer = later"), False, False),
        ("```python\n# conversation\n```", False, False),
    ],
)
def test_right_and_general(text: str, right: bool, general: bool, monkeypatch) -> None:
    monkeypatch.setattr("training.solutions.WALL_S", 1.0)
    found = judge(ROW, text, run_plain, unused)
    assert (found.right, found.general) == (right, general)
    assert found.kept == (right and general)


def test_form_counts() -> None:
    assert not judge(ROW, GENERAL + "\nThat is it.", run_plain, unused).kept
    assert not judge(
        ROW, GENERAL.replace("# add the days to the date\n", ""), run_plain, unused
    ).kept


def test_kinds_are_judged_by_their_line() -> None:
    row = {"id": "k", "q": "Hi", "check": "kind", "want": "conversation"}
    assert judge(row, "```python\n# conversation\n```", run_plain, unused).kept
    assert not judge(row, "```python\n# harmful\n```", run_plain, unused).right
    assert not judge(row, GENERAL, run_plain, unused).right


def test_calls_are_moved_value_by_value() -> None:
    values, others = {"a": 3, "b": 3, "xs": [1, 2]}, {"a": 5, "b": 6, "xs": [7]}
    assert moved_call("f(3, 3.0, [1, 2])", values, others) == "f(5, 6, [7])"
    assert moved_call("f(9)", values, others) == ""


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (3, 3, True), (3.2, 3, False), (12.344, 12.34, True), (12.35, 12.34, False),
        ("1,200.5", 1200.5, True), (True, 1, False), ("Yes", True, True), (False, False, True),
        ("no", True, False), ([1, 2], [1, 2], True), ([2, 1], [1, 2], False),
        ({"a": 1}, {"a": 1}, True), ({"a": 1, "b": 2}, {"a": 1}, False), ("10:05", "10:05", True),
        (None, 0, False), ("x", 3, False),
    ],
)  # fmt: skip
def test_values(got, want, right: bool) -> None:
    assert is_right(got, want) is right


def test_no_two_alike_and_more_where_it_is_hard() -> None:
    def good(shape: str) -> Judged:
        return Judged(True, True, True, shape)

    bad = Judged(False, False, False, "")
    texts = [f"t{at}" for at in range(8)]
    easy = [good("a"), good("b"), *[good("a")] * 6]
    assert len(chosen(texts, [50] * 8, easy)) == 1
    hard = [good("a"), good("a"), good("b"), *[bad] * 5]
    assert len(chosen(texts, [50] * 8, hard)) == 2
    assert chosen(texts, [50] * 8, [bad] * 8) == []
    assert chosen(texts, [400] * 8, easy) == [], "too long"


def test_a_row_and_its_summary() -> None:
    wrong = GENERAL.replace("days=days", "days=days + 1")
    judged = judged_row((ROW, [GENERAL, wrong, GENERAL]), EVALS / "check.py")
    assert [one.right for one in judged] == [True, False, True]
    assert summary([judged]) == {
        "requests": 1, "first": 1.0, "vote": 1.0, "some": 1.0, "each": 0.6667, "general": 0.6667,
    }  # fmt: skip
