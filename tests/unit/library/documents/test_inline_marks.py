"""Marks of Markdown: taken away in pairs, kept where they belong to a name."""

import time

import pytest

from hammerstone.library.documents.passages import sentences_in
from hammerstone.library.documents.reading.inline_marks import marks_in, without


def plain(text: str) -> str:
    return without(text, 0, len(text), marks_in(text))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Types such as `text/*` and image/* count.", "Types such as text/* and image/* count."),
        ("*.py files, and f(*args, **kwargs)", "*.py files, and f(*args, **kwargs)"),
        ("*a* **b** ***c*** _d_ __e__", "a b c d e"),
        ("snake_case_name stays, _this_ does not", "snake_case_name stays, this does not"),
        ("2 * 3 * 4 and 2 _ 3", "2 * 3 * 4 and 2 _ 3"),
        ("**`*.py`** is *it*", "*.py is it"),
        ("``a ` b`` and ` alone", "a ` b and ` alone"),
        (r"\*not\* marked, `\*`", r"*not* marked, \*"),
        ("[two](http://x/a_b_c) and [![img](u)](v)", "two and img"),
        ("x[i](a, b) is a call, [1] a note", "x[i](a, b) is a call, [1] a note"),
        ("_one *two* three", "_one two three"),
        ("a*b*c*d", "abc*d"),
        ("a**b*c**d", "ab*cd"),
    ],
)
def test_only_pairs_are_marks(text: str, read: str) -> None:
    assert plain(text) == read


def test_a_pair_may_span_sentences() -> None:
    said = [one.text for one in sentences_in("**Take care. Use `image/*` here.** It is *so*.", 1)]
    assert said == ["Take care.", "Use image/* here. It is so."]


def test_items_and_cells_are_marked_by_themselves() -> None:
    listed = sentences_in("- takes *.md\n- or *.txt\n- **both**", 1)
    assert [one.text for one in listed] == ["takes *.md", "or *.txt", "both"]
    table = sentences_in("| kind | reads |\n|---|---|\n| `text/*` | *.md |\n| b | *.txt |", 1)
    assert [one.text for one in table] == ["kind: text/*; reads: *.md", "kind: b; reads: *.txt"]


def test_what_is_no_markdown_keeps_its_signs() -> None:
    text = "The method __init__ takes *args and *kwargs* of `a`."
    assert sentences_in(text, 1, marked=False)[0].text == text


@pytest.mark.parametrize(
    "part", ["*a ", "a* ", "_a*", "[", "[](x ", "**a *b", "a*b_c", "`a``b```c", '[a]("b ']
)
def test_the_time_grows_with_the_length(part: str) -> None:
    def took(count: int) -> float:
        text = part * count
        began = time.process_time()
        marks_in(text)
        return time.process_time() - began

    assert min(took(32_000), took(32_000)) < 0.1 + 30 * min(took(4_000), took(4_000))
