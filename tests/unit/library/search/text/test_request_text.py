"""A request as search reads it, and its wording."""

import pytest

from hammerstone.library.search.text.request_text import MAX_REQUEST, search_text, wording


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Write 'big tree' in capital letters please", "Write 'sea' in capital letters please"),
        ("What is the median of 3, 4 and 17.5?", "What is the median of 9, 2, 8, 1?"),
        ("What is 15% of the bill of 86?", "What is 7 % of the bill of 12.50?"),
        ("Put three apples into boxes of 6 each", "Put 12 apples into boxes of two each"),
        ("Days from 2024-02-10 to 2024-03-05 please", "Days from 2020-01-01 to 2021-01-01 please"),
    ],
)
def test_requests_that_differ_in_values_have_one_wording(one: str, other: str) -> None:
    assert wording(search_text(one)) == wording(search_text(other)) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Turn 5 miles into km now", "Turn 5 km into miles now"),
        ("Is 5 + 6 more than nothing at all", "Is 5 * 6 more than nothing at all"),
        ("Sort these names from short to long: 5", "Sort these names from long to short: 5"),
    ],
)
def test_other_words_or_signs_are_another_wording(one: str, other: str) -> None:
    assert wording(one) != wording(other)


@pytest.mark.parametrize(
    "text", ["", "17", "'hello there my old friend'", "What about 20%?", "5+6"]
)
def test_few_words_are_no_wording(text: str) -> None:
    assert wording(search_text(text)) == ""


def test_data_is_read_by_what_it_is() -> None:
    assert search_text("add [1, 2, 3, 4, 5, 6]") == "add [list]"
    assert search_text("Is 'level' a palindrome?") == "Is 'text' a palindrome?"
    assert search_text("Is it 3 days after 2024-01-31?") == "Is it 3 days after 'date'?"
    assert search_text("the user's boards' length") == "the user's boards' length"
    assert search_text('join [{"a": 1}]') == "join the rows of a table"
    assert search_text("5%") == "5 percent"
    assert len(search_text("x" * 9_000)) == MAX_REQUEST
    assert search_text("half \ud800") == "half ?"
