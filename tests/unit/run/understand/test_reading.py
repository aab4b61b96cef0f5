"""What the words of a request say by themselves."""

import pytest

from hammerstone.run.understand.reading import read


@pytest.mark.parametrize(
    "text", ["do that again", "now do it for the other file", "the same for 12", "what about 7?"]
)
def test_requests_that_mean_something_earlier_are_noticed(text: str) -> None:
    assert read(text).refers_back


@pytest.mark.parametrize(
    "text",
    ["What is 17.5% of 240?", "Count the vowels in 'do that again'", 'Sort ["it", "that"]'],
)
def test_quoted_words_are_data_not_references(text: str) -> None:
    assert not read(text).refers_back


@pytest.mark.parametrize(
    ("text", "forced"),
    [
        ("create a tool that reverses text", True),
        ("Build me a small function for leap years", True),
        ("make 3 into a roman number", False),
        ("Count the words in 'build a tool'", False),
    ],
)
def test_asking_for_a_tool_forces_building(text: str, forced: bool) -> None:
    assert read(text).forces_building is forced


@pytest.mark.parametrize(
    ("text", "varies"),
    [
        ("what about 30%?", True),
        ("No, I meant 20%", True),
        ("and for 200?", True),
        ("use 5 instead of 3", True),
        ("What is 30% of 50?", False),
        ("Andrea has 3 apples", False),
    ],
)
def test_requests_that_only_say_what_is_different(text: str, varies: bool) -> None:
    assert read(text).varies is varies
    assert read(text).refers_back or not varies


def test_prose_is_wanted_only_when_asked_for() -> None:
    for text in ("Explain the result", "Write a sentence about it"):
        assert read(text).wants_prose
    for text in ("Reverse 'explain this'", "What is 5!?"):
        assert not read(text).wants_prose


def test_parts_are_ordered_only_where_the_words_say_so() -> None:
    assert read("Sort it, then count it").ordered
    assert not read("sort and count it").ordered
    assert not read("Reverse 'a; then b'").ordered


@pytest.mark.parametrize(
    "text",
    [
        "",
        "'" * 5_000,
        "and then " * 2_000,
        "Wie viel sind 12 Prozent of 50? 答えは何ですか?",
        "\u202e17.5% of 240\u200b",
        ", ".join(map(str, range(2_000))),
    ],
)
def test_hostile_text_is_read_too(text: str) -> None:
    reading = read(text)
    assert reading.text == text and reading.parts


@pytest.mark.parametrize("piece", ["[", "{", "[{", " ", "a.", "Sort it. ", "'a", "1,", ", and "])
def test_a_million_characters_are_read_in_no_time(piece: str) -> None:
    """What grows with the square of the length does not come back from this one."""
    text = piece * (1_000_000 // len(piece))
    assert read(text).parts == (text,)


def test_of_a_long_text_both_ends_are_read() -> None:
    rows = "\n".join(f"row {number}" for number in range(10_000))
    assert read(f"Write a tool for these rows\n{rows}").forces_building
    assert read(f"{rows}\nExplain the result").wants_prose


@pytest.mark.parametrize(
    ("text", "judges"),
    [("Wrong, it should be 8", True), ("that's right", True), ("What is wrong with 8?", False),
     ("Is 8 right?", False), ("no, that is not correct", True)],
)  # fmt: skip
def test_words_that_judge_the_last_answer(text: str, judges: bool) -> None:
    assert read(text).judges is judges


def test_a_very_long_text_may_state_an_example() -> None:
    assert read("number " * 5_000).may_state_examples
    assert not read("number " * 50).may_state_examples


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("43.20", True),
        ("the second one", True),
        ("make it 7", True),
        ("take 5", True),
        ("What is 2 + 2?", False),
        ('Count the vowels in "quarry willow dragon".', False),
        ("Give me the median of the numbers 575, 454, 659, 222.", False),
        ("count all of them again", True),
    ],
)
def test_a_whole_request_is_no_answer_to_a_question(text: str, may: bool) -> None:
    assert read(text).may_answer is may
