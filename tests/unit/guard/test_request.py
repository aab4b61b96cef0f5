"""Requests that cannot be used are refused with a reason."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.errors import BadRequest
from hammerstone.guard.request import check_request


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("  What is 2+2?\r\n", "What is 2+2?"),
        ("\ufeffhello\rworld\tx", "hello\nworld\tx"),
        ("日本語 👩‍👩‍👧 שלום", "日本語 👩‍👩‍👧 שלום"),
        (b"gr\xc3\xbc\xc3\x9fe", "grüße"),
        ("√", "√"),
    ],
)
def test_cleaned(text: str | bytes, clean: str) -> None:
    assert check_request(text) == clean


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("?!...", "no words"),
        ("a\x00b", r"U\+0000 at position 1"),
        ("\x1b[31mred", r"U\+001B at position 0"),
        ("x\ud83d", "lone surrogate"),
        (b"\x89PNG\r\n\x1a\n", "byte 0 is not UTF-8"),
        ("x" * 100_001, "100,001 bytes"),
        ("é" * 60_000, "120,000 bytes"),
        (b"x" * 2_000_000, "2,000,000 bytes"),
    ],
)
def test_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(BadRequest, match=message) as caught:
        check_request(text)
    assert caught.value.hint


def test_the_limit_is_a_parameter() -> None:
    assert len(check_request("x" * 1_000_000, limit_bytes=1_000_000)) == 1_000_000
    with pytest.raises(BadRequest):
        check_request("xxxx", limit_bytes=3)


@given(st.text() | st.binary())
def test_any_input_is_cleaned_or_refused(text: str | bytes) -> None:
    try:
        clean = check_request(text)
    except BadRequest:
        return
    assert check_request(clean) == clean
    clean.encode()


def test_files_are_looked_at(tmp_path: Path) -> None:
    fine = tmp_path / "a.csv"
    fine.write_text("a,b")
    assert check_request("sum it", [fine]) == "sum it"
    for path, limit, message in (
        (tmp_path / "none.csv", 100, "no file"),
        (tmp_path, 100, "not a file"),
        (fine, 2, "3 bytes; at most 2"),
        (Path("a\x00b"), 100, "no file"),
    ):
        with pytest.raises(BadRequest, match=message):
            check_request("sum it", [path], file_limit_bytes=limit)
