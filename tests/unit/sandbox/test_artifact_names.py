"""Names of output files are safe whatever the code called them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.sandbox.stage import NAME_CHARS, safe_name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("Umsatz März.xlsx", "Umsatz März.xlsx"),
        ("../../etc/passwd", "_.._etc_passwd"),
        (".bashrc", "bashrc"),
        ("-rf.txt", "rf.txt"),
        ("a\nb\0c.txt", "a_b_c.txt"),
        ("CON.txt", "_CON.txt"),
        ("", "file"),
    ],
)
def test_examples(name, safe):
    assert safe_name(name) == safe


@given(st.text(max_size=400), st.sets(st.text(max_size=10), max_size=3))
def test_always_a_short_base_name_that_is_free(name, taken):
    safe = safe_name(name, taken)
    assert safe and safe not in taken
    assert "/" not in safe and "\\" not in safe and "\0" not in safe and safe[0] not in ".-"
    assert len(safe) <= NAME_CHARS + 5


def test_the_same_name_twice_gets_a_number():
    assert safe_name("a.txt", {"a.txt", "a_2.txt"}) == "a_3.txt"
