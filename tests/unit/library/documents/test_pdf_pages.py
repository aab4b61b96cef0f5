"""Pages of a PDF: what stands on all of them, and headings by their numbers."""

from hammerstone.library.documents.reading.format_files import page_lines


def test_what_stands_on_most_pages_is_left_out() -> None:
    pages = [f"Handbook of {name}\nText of {name}.\nMore.\nEnd.\nPage {n}\n" for n, name in
             enumerate(["ports", "ports", "ports", "ports"], 7)]  # fmt: skip
    pages.append("An end\nwithout all this.\nIt says\nlittle.")
    found = page_lines(pages)
    assert "Page 8" not in found[1] and "Handbook of ports" not in found[1]
    assert "More." in found[1] and found[4] == pages[4].split("\n")


def test_two_pages_keep_all_their_lines() -> None:
    pages = ["Report\nOne.", "Report\n# two"]
    assert page_lines(pages) == [["Report", "One."], ["Report", " # two"]], "no heading"


def test_numbers_that_count_on_are_headings() -> None:
    text = [
        "1. Introduction 2",
        "1.1. Version ........ 3",
        "1. Introduction",
        "1.1. Version",
        "This is version 0.21, of about",
        "3.5 Million readers in all",
        "1.2. What is this?",
        "Many programs use it:",
        "1. open the file,",
        "2. Unified system",
        "2.1 Layout",
        "2. of it.",
    ]
    (lines,) = page_lines(["\n".join(text)])
    marked = [line for line in lines if line.startswith("#")]
    assert marked == [
        "# 1. Introduction",
        "## 1.1. Version",
        "## 1.2. What is this?",
        "# 2. Unified system",
        "## 2.1 Layout",
    ]


def test_a_list_alone_stays_a_list() -> None:
    text = "1. Open the file\n2. Read it\n3. Close it"
    assert page_lines([text]) == [text.split("\n")]
