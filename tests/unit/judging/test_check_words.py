"""What a test demands, in words."""

import pytest

from hammerstone.judging.rendering import check_words


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("abs(result - 3.14) < 1e-6", "is within 0.000001 of 3.14"),
        ("abs(float(str(result).rstrip('%')) - 24) <= 0.500000001", "is within 0.5 of 24"),
        ("abs(-2 - result) <= 0.1", "is within 0.1 of -2"),
        ("result == 'civic'", "is 'civic'"),
        ("str(result).strip().casefold() == 'civic'", "is 'civic', whatever its form"),
    ],
)
def test_usual_forms_are_words(check: str, words: str) -> None:
    assert check_words(check) == words


@pytest.mark.parametrize(
    "check",
    [
        "len(result) == 3",
        "1 < result < 3",
        "abs(other - 3) < 1",
        "abs(result - x) < 1",
        "abs(result + 3) < 1",
        "abs(result) < 1",
        "abs() < 1",
        "abs(result - 3, 1) < 1",
        "round(result - 3) < 1",
        "(",
    ],
)
def test_other_forms_stay_code(check: str) -> None:
    assert check_words(check) == f"must satisfy: {check}"
