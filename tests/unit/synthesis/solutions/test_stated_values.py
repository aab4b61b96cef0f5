"""The values that a request states, apart from those of its examples."""

import pytest

from hammerstone.synthesis.solutions.stated_values import stated_values


@pytest.mark.parametrize(
    ("request_text", "numbers", "texts"),
    [
        ("What is 17.5% of 240?", [17.5, 240], []),
        ("Build a tool square(n), for example square(12) -> 144", [], []),
        ("f(3) should give 9, what is f(7) times 5?", [5], []),
        ("share(50, 10) is 5. And with 8?", [8], []),
        (">>> f(3)\n9\nuse 4", [4], []),
        ("'abc' -> 'cba'; reverse 'xyz'", [], ["xyz"]),
    ],
)
def test_values_of_examples_are_not_the_requests_own(
    request_text: str, numbers: list[float], texts: list[str]
) -> None:
    stated = stated_values(request_text)
    assert [one.value for one in stated.numbers] == numbers
    assert list(stated.texts) == texts


def test_zero_and_one_are_never_meant() -> None:
    stated = stated_values("0 and 1 and 'a' and 30%")
    assert not stated.states(0) and not stated.states(1) and not stated.states(True)
    assert stated.states("a") and stated.states(0.3) and stated.states(-30)
