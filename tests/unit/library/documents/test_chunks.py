"""Documents cut into chunks, passages and sentences."""

from hammerstone.library.documents.blocks import BlockKind, blocks_of
from hammerstone.library.documents.chunks import chunks_of, title_of
from hammerstone.library.documents.passages import passages_in, sentences_in
from hammerstone.library.documents.reading.read_document import DocumentKind, ReadDocument
from hammerstone.library.memory.tokens import tokens_of

PAGE = """# Handbook

Welcome to the firm. It was founded in 1990.

## Leave

Everybody has 25 days.
They end with the year.

| role | days |
|---|---|
| chief | 30 |
| clerk | 25 |

## Code

```
# no heading
run it
```
"""


def document(text: str, **more: object) -> ReadDocument:
    return ReadDocument(DocumentKind.MARKDOWN, text, **more)  # type: ignore[arg-type]


def test_blocks_know_headings_tables_and_code() -> None:
    kinds = [block.kind for block in blocks_of(PAGE.split("\n"))]
    assert kinds == [
        BlockKind.HEADING,
        BlockKind.PROSE,
        BlockKind.HEADING,
        BlockKind.PROSE,
        BlockKind.TABLE,
        BlockKind.HEADING,
        BlockKind.CODE,
    ]


def test_a_chunk_is_a_run_of_lines_with_title_and_section() -> None:
    chunks = chunks_of(document(PAGE), 30)
    assert title_of(document(PAGE)) == "Handbook"
    lines = PAGE.split("\n")
    for chunk in chunks:
        assert chunk.text.split("\n")[0] == lines[chunk.first_line - 1]
    assert chunks[0].section == "Handbook"
    assert any(chunk.section == "Handbook > Leave" for chunk in chunks)
    assert "\n".join(chunk.text for chunk in chunks).count("25 days") == 1


def test_a_table_stays_whole_and_an_endless_line_is_still_cut_off_from_others() -> None:
    rows = "\n".join(f"| {n} | {n * n} |" for n in range(60))
    text = f"# Squares\n\n| n | square |\n|---|---|\n{rows}\n\nThe end."
    chunks = chunks_of(document(text), 256)
    assert [chunk.tabular for chunk in chunks].count(True) == 1
    long = chunks_of(document("x " * 5_000 + "\n\nshort"), 100)
    assert [chunk.text[:5] for chunk in long] == ["x x x", "short"]


def test_long_prose_makes_chunks_of_the_asked_size() -> None:
    text = "\n\n".join(f"Sentence number {n} says something of its own." for n in range(300))
    chunks = chunks_of(document(text), 128)
    assert len(chunks) > 10
    assert all(tokens_of(chunk.text) <= 160 for chunk in chunks)


def test_pages_are_known_by_their_first_lines() -> None:
    text = "First page.\n\nSecond page.\n"
    chunks = chunks_of(document(text, pages=(1, 3)), 4)
    assert [chunk.page for chunk in chunks] == [1, 2]


def test_sentences_have_lines_rows_have_their_columns_and_items_stand_alone() -> None:
    found = sentences_in(PAGE, 1)
    by_text = {one.text: one.line for one in found}
    assert by_text["Everybody has 25 days."] == 7
    assert by_text["They end with the year."] == 8
    assert by_text["role: chief; days: 30"] == 12
    listed = sentences_in("Before:\n- one **bold** thing\n- [two](http://x) things\n  and more", 5)
    assert [(one.text, one.line) for one in listed] == [
        ("Before:", 5),
        ("one bold thing", 6),
        ("two things and more", 7),
    ]


def test_a_heading_goes_with_what_follows() -> None:
    first, *rest = passages_in("# A\n\n## B\n\ntext\n\nmore")
    assert (first.start, first.end) == (0, 5)
    assert len(rest) == 1
    assert len(passages_in("# Alone")) == 1


def test_code_is_read_by_lines_and_goes_on_in_the_paragraph_below() -> None:
    page = """## State

    doctor --security

prints a line for each control. It reads `DATA_DIR` and _never_ **writes** __it__.

    people list     who has access
    people audit    what they changed

Another one follows here.

- an item of a list

    and what belongs to it

```python
def twice(n):
    return n * 2
```
"""
    said = [(one.text, one.line, one.block) for one in sentences_in(page, 1)]
    assert said == [
        ("doctor --security prints a line for each control.", 3, 0),
        ("It reads DATA_DIR and never writes it.", 5, 0),
        ("people list who has access", 7, 1),
        ("people audit what they changed", 8, 1),
        ("Another one follows here.", 10, 2),
        ("an item of a list", 12, 3),
        ("and what belongs to it", 14, 4),
        ("python\ndef twice(n):\n    return n * 2", 16, 4),
    ]


def test_a_paragraph_goes_with_what_it_introduces() -> None:
    page = """# Tool

Pin a version:

```console
$ tool pin 3
```

Either of

- the first
- the second

Both are fine.

- another list
"""
    lines = page.split("\n")
    shown = ["\n".join(lines[one.start : one.end]) for one in passages_in(page)]
    assert shown == [
        "# Tool\n\nPin a version:\n\n```console\n$ tool pin 3\n```",
        "Either of\n\n- the first\n- the second",
        "Both are fine.",
        "- another list",
    ]
    said = [(one.text, one.block) for one in sentences_in(page, 1)]
    assert said[:2] == [("Pin a version:", 0), ("console\n$ tool pin 3", 0)]
    (chunk,) = chunks_of(ReadDocument(DocumentKind.MARKDOWN, "\n" + page), 512)
    assert chunk.section == "Tool", "the title stands once"


def test_a_chunk_does_not_end_between_a_paragraph_and_its_list() -> None:
    words = "word " * 300
    page = f"# T\n\n{words}\n\nChoose one of these:\n\n- {words}\n"
    texts = [one.text for one in chunks_of(ReadDocument(DocumentKind.MARKDOWN, page), 450)]
    assert len(texts) == 2 and texts[1].startswith("Choose one of these:")


def test_a_small_section_takes_the_next_one_along_and_a_larger_one_does_not() -> None:
    def pieces(words: int) -> int:
        first = " ".join(["word"] * words)
        return len(chunks_of(document(f"{first}\n\n## Next\n\nshort"), 400))

    small = next(words for words in range(1, 400) if pieces(words) == 2)
    assert pieces(small - 1) == 1
    assert tokens_of(" ".join(["word"] * (small - 1))) <= 400 // 4
    assert tokens_of(" ".join(["word"] * small)) > 400 // 4
