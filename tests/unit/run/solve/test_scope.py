"""What is too long to read is data, and nothing of it is lost."""

import pytest

from hammerstone.run.solve.scope import DATA, within_reach

ROWS = "\n".join(f"item {number},{number}" for number in range(1_000))
LINE = ", ".join(map(str, range(2_000)))


def test_a_short_request_is_read_as_it_is() -> None:
    text, scope = within_reach("What is 17.5% of 240?")
    assert text == "What is 17.5% of 240?" and not scope.values


@pytest.mark.parametrize(
    ("request_text", "words", "data"),
    [
        (f"Sum the second column:\n{ROWS}", ["Sum the second column:"], ROWS),
        (f"{ROWS}\nWhat is the sum?", ["What is the sum?"], ROWS),
        (f"{ROWS}\nSum the second column", ["Sum the second column"], ROWS),
        (f"Here are rows.\n{ROWS}\nSum them", ["Here are rows.", "Sum them"], ROWS),
        (f"Add these up: {LINE}", ["Add these up:"], LINE),
        (LINE, [], LINE),
        (ROWS, [], ROWS),
    ],
)
def test_the_words_are_read_and_the_data_is_whole(
    request_text: str, words: list[str], data: str
) -> None:
    text, scope = within_reach(request_text)
    assert scope.values == {DATA: data}
    assert all(word in text for word in words) and len(text) < 1_500
    assert DATA in scope.notes[0] and data[:20] in scope.notes[0]
