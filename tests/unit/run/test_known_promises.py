"""Names that say the same, and names that only look alike."""

import pytest

from hammerstone.run.known_promises import telling_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("percentage_of", "calculate_percentage"),
        ("tax_rate", "get_tax_rates"),
        ("celsius_to_fahrenheit", "convert_celsius_to_fahrenheit"),
        ("word_count", "word_count_2"),
    ],
)
def test_fillers_plurals_and_numbers_do_not_count(one: str, other: str) -> None:
    assert telling_words(one) == telling_words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("celsius_to_fahrenheit", "fahrenheit_to_celsius"),
        ("count_vowels", "remove_vowels"),
        ("is_prime", "next_prime"),
        ("min_price", "max_price"),
    ],
)
def test_order_and_verbs_count(one: str, other: str) -> None:
    assert telling_words(one) != telling_words(other)
