"""Files that need no parser of a format, good and bad ones."""

import codecs

import pytest

from hammerstone.library.documents.passages import sentences_in
from hammerstone.library.documents.reading.plain_files import WRONG_LETTERS, decoded, read_plain
from hammerstone.library.documents.reading.read_document import DocumentKind, DocumentState

HTML = """<html><head><title>Fees &amp; co</title><script>evil()</script></head><body>
<h1>Fees</h1><p>A parcel costs
three.</p><table><tr><th>kind</th><th>fee</th></tr><tr><td>letter</td><td>1</td></tr></table>
<ul><li>one</li><li>two</li></ul><p hidden>secret</p></body></html>"""


def test_a_page_keeps_headings_rows_and_paragraphs() -> None:
    found = read_plain(DocumentKind.HTML, HTML.encode(), "a.html")
    assert found.title == "Fees & co"
    assert "# Fees" in found.text and "A parcel costs three." in found.text
    assert "| letter | 1 |" in found.text and "- one" in found.text
    assert "evil" not in found.text and "secret" not in found.text


# As Sphinx writes them, with ends left out as HTML allows, and with blocks within cells.
TABLES = (
    "<table><thead>\n<tr class='x'><th><p>role</p></th>\n<th><p>days</p></th></tr>\n</thead>\n"
    "<tr><td><p>chief<br>of all</p></td>\n<td><div><p>30</p></div></td></tr>\n</tbody></table>",
    "<table><tr><th>role<th>days<tr><td>chief of all<td>30</table>",
    "<table><tr><th>role</th><th>days</th></tr><tr><td><ul><li>chief</li><li>of all</li></ul></td>"
    "<td>30</td></tr></table>",
)


@pytest.mark.parametrize("table", TABLES)
def test_a_row_of_a_page_is_one_line_below_its_columns(table: str) -> None:
    page = f"<p>Before.</p>{table}<p>After.</p>"
    found = read_plain(DocumentKind.HTML, page.encode(), "a.html")
    said = [one.text for one in sentences_in(found.text, 1, marked=False)]
    assert said == ["Before.", "role: chief of all; days: 30", "After."]


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (b"", DocumentState.EMPTY),
        (b" \n\t", DocumentState.EMPTY),
        (b"PK\x03\x04\x00\x00binary", DocumentState.NOT_TEXT),
        (b"plain", DocumentState.READ),
    ],
)
def test_states(content: bytes, state: DocumentState) -> None:
    found = read_plain(DocumentKind.TEXT, content, "a.txt")
    assert found.state is state
    assert bool(found.note) == (state is not DocumentState.READ)


def test_other_encodings_are_read_and_said() -> None:
    assert decoded("häß".encode()) == ("häß", "")
    assert decoded(codecs.BOM_UTF16_LE + "häß".encode("utf-16-le")) == ("häß", "")
    assert decoded("caf\u00e9".encode("cp1252")) == ("caf\u00e9", WRONG_LETTERS)
    page = b'<meta charset="iso-8859-2">' + "ł".encode("iso-8859-2")
    assert decoded(page, html=True)[0].endswith("ł")  # type: ignore[union-attr]


def test_a_table_is_shown_by_columns_and_first_rows() -> None:
    rows = "item;price\n" + "".join(f"thing {n};{n}\n" for n in range(40))
    found = read_plain(DocumentKind.TABLE, rows.encode(), "prices.csv")
    assert "40 rows. Columns: item, price." in found.text
    assert "| thing 0 | 0 |" in found.text and "thing 39" not in found.text
    assert read_plain(DocumentKind.TABLE, b"\n\n", "a.csv").state is DocumentState.EMPTY
