"""What a program does, read from its syntax."""

import pytest

from hammerstone.learn.evolution.judges.program_traits import ProgramTraits, read_program

REQUEST = "Which of red and Blue has 250 marks and 1,000 points?"


def traits(source: str) -> set[str]:
    found = read_program(source, REQUEST)
    return {
        name
        for name in ("arithmetic", "dates", "outside", "works", "states_facts")
        if getattr(found, name)
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("answer = a - b", {"arithmetic", "works"}),
        ("answer = a * b", {"arithmetic", "works"}),
        ("answer = a / b", {"arithmetic", "works"}),
        ("answer = a // b", {"arithmetic", "works"}),
        ("answer = a % b", {"arithmetic", "works"}),
        ("answer = a ** b", {"arithmetic", "works"}),
        ("answer = a + b", {"arithmetic", "works"}),
        ("answer = a + ' x'", set()),
        ("answer = f'{a}' + b", set()),
        ("answer = a | b", set()),
        ("a -= 1", {"arithmetic", "works"}),
        ("a += 1", {"arithmetic", "works"}),
        ("a += 'text'", set()),
        ("answer = sum(values)", {"arithmetic", "works"}),
        ("answer = values.pow(2)", {"arithmetic", "works"}),
        ("answer = sorted(values)", set()),
        ("import math", {"arithmetic"}),
        ("from decimal import Decimal", {"arithmetic"}),
        ("import numpy.linalg", {"arithmetic"}),
        ("import datetime", {"dates"}),
        ("from datetime import date", {"dates"}),
        ("answer = x.strftime('%d')", {"dates"}),
        ("import urllib.request", {"outside"}),
        ("import socket", {"outside"}),
        ("import json", set()),
        ("for x in y:\n    pass", {"works"}),
        ("while x:\n    pass", {"works"}),
        ("answer = [x for x in y]", {"works"}),
        ("answer = {x for x in y}", {"works"}),
        ("answer = {x: 1 for x in y}", {"works"}),
        ("answer = any(x for x in y)", {"works"}),
        ("answer = 'red'", set()),
        ("answer = 'green'", {"states_facts"}),
        ("answer = 11", {"states_facts"}),
        ("answer = 10", set()),
        ("answer = 250", set()),
        ("answer = 1000", set()),
        ("answer = True", set()),
        ("def f():\n    'Green and 77.'\n    return 'red'\nanswer = f()", set()),
        ("import datetime\nanswer = 'green'", {"dates"}),
    ],
)
def test_what_a_program_does(source: str, expected: set[str]) -> None:
    assert traits(source) == expected


@pytest.mark.parametrize("source", ["def (", "\x00", "answer = ("])
def test_a_program_that_cannot_be_read_has_no_traits(source: str) -> None:
    assert read_program(source, REQUEST) == ProgramTraits(readable=False)


def test_many_own_words_are_facts_whatever_is_computed() -> None:
    few = "answer = {'green': 1, 'black': 2, 'white': 3}[x] * 2"
    many = "answer = {'green': 1, 'black': 2, 'white': 3, 'brown': 4}[x] * 2"
    assert not read_program(few, REQUEST).states_facts
    found = read_program(many, REQUEST)
    assert found.states_facts and found.own_facts == ("green", "black", "white", "brown")


def test_words_of_the_request_count_in_the_singular_and_the_plural() -> None:
    assert read_program("answer = 'mark'", REQUEST).own_facts == ()
    assert read_program("answer = 'reds'", REQUEST).own_facts == ()
    assert read_program("answer = 'BLUE'", REQUEST).own_facts == ()
    assert read_program("answer = 'reddish'", REQUEST).own_facts == ("reddish",)
