"""Names that a request calls something by."""

import pytest

from hammerstone.run.understand.reading import skill_command, tool_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("count_words in 'a b'", ("count_words",)),
        ("use extract_numbers_then_mean, please", ("extract_numbers_then_mean",)),
        ("run count_words and to_roman", ("count_words", "to_roman")),
        ("slug of 'count_words here'", ()),
        ('sort [{"unit_price": 3}]', ()),
        ("open /files/count_words.csv", ()),
        ("open my_file.csv", ()),
        ("the mean of 1, 2", ()),
        ("Count_Words", ()),
    ],
)
def test_a_tools_name_stands_outside_of_data(text: str, names: tuple[str, ...]) -> None:
    assert tool_names(text) == names


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/word-count of 'a b'", ("word-count", "of 'a b'")),
        ("  /fees", ("fees", "")),
        ("what is /word-count", None),
        ("/files/a.csv has how many rows?", None),
        ("/Word-count x", None),
        ("10/5", None),
    ],
)
def test_a_skill_is_started_at_the_beginning(text: str, command: object) -> None:
    assert skill_command(text) == command
