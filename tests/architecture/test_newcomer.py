"""What `evals.newcomer` reads off a screen: values, first and final, and whether they are right."""

from evals.newcomer import _last_lines, _Screen, shows_value, waiting
from hammerstone.core.evaluations import CaseOutcome, MetricValue

PRINTED = """?   0.1s searching the library
+   7.3s solution 1 of at most 8: 42
=   7.3s 41 (likely: only one solution so far; checking further)
41
sure (94%): 4 of 4 independent solutions agree
"""


def test_a_value_has_to_stand_by_itself() -> None:
    assert shows_value("it is 42.", "42") and shows_value("42.0 km", "42")
    for text in ("420", "17.42", "42.5", "142", "4,42", "none"):
        assert not shows_value(text, "42")


def test_steps_are_no_answer() -> None:
    assert shows_value(_last_lines(PRINTED), "41") and not shows_value(_last_lines(PRINTED), "42")


def test_the_first_value_and_the_final_one() -> None:
    screen = _Screen("What is 6 * 7?", "42")
    assert not screen.look("Examples\nWhat is 42?", False, 0.2)
    assert not screen.look("You\nWhat is 6 * 7?\nfound it (95% likely to fit)", True, 0.5)
    assert not screen.look("You\nWhat is 6 * 7?\n42\nlikely", True, 2.0)
    assert screen.look("You\nWhat is 6 * 7?\n42\nsure (93%)", False, 5.0)
    waited = screen.waited(5.0)
    assert (waited.first_s, waited.final_s, waited.right) == (2.0, 5.0, True)


def test_what_was_there_before_is_no_answer() -> None:
    screen = _Screen("What is 6 * 7?", "42")
    assert not screen.look("a sure 42\nWhat is 6 * 7?\n", True, 9.0)
    assert not screen.waited(9.0).right


def test_every_request_is_a_case_and_the_seconds_are_by_place() -> None:
    one = {"where": "browser", "request": "What?", "first_s": 1.5, "final_s": 3.0}
    found = waiting([one | {"shown": "42", "right": True}, one | {"shown": "7", "right": False}])
    cases = [finding for finding in found if isinstance(finding, CaseOutcome)]
    numbers = {one.name: one.value for one in found if isinstance(one, MetricValue)}
    assert [one.passed for one in cases] == [True, False] and cases[1].given == "7"
    assert numbers["right on the screen"] == 0.5
    assert numbers["first value in the browser, median"] == 1.5
    assert numbers["final value in the terminal, median"] is None
