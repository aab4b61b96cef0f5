"""Compound requests told by their words."""

import pytest

from hammerstone.run.understand.reading import is_strong, leans_back, parts_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What is 17.5% of 240?", 1),
        ("What is the mean and median of [1, 2]?", 1),
        ("Reverse 'a; then b'", 1),
        ("Reverse the word 'stone' and then count its letters", 2),
        ("Sort [3, 1] and sum the first two. Then double it.", 3),
        ("What is 10% of 50? Is 97 a prime?", 2),
        ("A garage takes 3 euros an hour. What do I pay for 4 hours?", 1),
        ("I have [3, 1]. It is a list. Sort it, then sum it", 2),
        ("the prime factors of 12, then compute the mean of them", 2),
        ("The prime factors of 12. Then compute the mean of them", 2),
        # Who tells what is done asks for nothing: the question is about all of it.
        ("A meal cost 98, we add 10% tip and split between 2 people. What does each pay?", 1),
        ("We add 10% and split it", 1),
        ("Add 10% to 98 and split it", 2),
        # What the words say comes next is a step, whatever its verb.
        ("Spell 'stone' backwards, then encrypt that with a shift of 2", 2),
        ("Spell 'stone' backwards. Encrypt that with a shift of 2", 1),
        ("If 3 apples cost 5 then 6 apples cost twice as much?", 1),
        # A question without a value that refers to nothing is about what stands before it.
        ("Split a bill of 70.40 plus 20 percent tip among 5. What is one share?", 1),
        ("Sort [3, 1]. What is the first one?", 2),
    ],
)
def test_parts_of_a_request(text: str, parts: int) -> None:
    assert len(parts_of(text)) == parts


def test_how_parts_hang_together() -> None:
    assert is_strong("Sort it, then count it") and not is_strong("sort and count it")
    assert leans_back("count its letters") and not leans_back("count the letters of 'it'")
