# pyright: basic
"""What is in a file, as plain values that can be compared. Runs inside the sandbox only.

`describe(path)` always returns `{"kind", "problem", ...}`; a file that does not open has a
problem. File names are not part of it: two programs that call the same table differently agree.
"""

import csv
import json
import zipfile
from pathlib import Path

MOST = 2000  # rows, paragraphs or characters that are compared


def describe(path):
    path = Path(path)
    kind = path.suffix.lstrip(".").lower()
    kind = "png" if kind in ("jpg", "jpeg") else "csv" if kind == "tsv" else kind
    try:
        if path.stat().st_size == 0:
            return {"kind": kind, "problem": "the file is empty"}
        reader = READERS.get(kind, _text)
        return {"kind": kind, "problem": "", **reader(path)}
    except Exception as error:
        return {"kind": kind, "problem": f"does not open: {type(error).__name__}: {error}"[:200]}


def _csv(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        sample = file.read(4096)
        file.seek(0)
        first = sample.split("\n", 1)[0]
        delimiter = max(",;\t|", key=first.count)
        rows = [row for row in csv.reader(file, delimiter=delimiter) if row]
    width = {len(row) for row in rows}
    problem = "" if len(width) <= 1 else "its rows have different lengths"
    return {"rows": [[_cell(cell) for cell in row] for row in rows[:MOST]], "problem": problem}


def _cell(text):
    """`1.50` and `1.5` are one number, whatever wrote it."""
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _xlsx(path):
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=False, read_only=True)
    sheets = []
    for sheet in book.worksheets:
        rows = [[_plain(c) for c in row] for row in sheet.iter_rows(max_row=MOST, values_only=True)]
        sheets.append([row for row in rows if any(cell is not None for cell in row)])
    return {"sheets": sheets, "problem": "" if any(sheets) else "the workbook is empty"}


def _plain(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return value if value is None or isinstance(value, bool) else str(value).strip()


def _picture(path):
    from PIL import Image

    with Image.open(path) as image:
        image.verify()
    with Image.open(path) as image:
        small = image.convert("RGB").resize((64, 64))
        colours = small.getcolors(64 * 64)
    blank = colours is not None and len(colours) < 2
    return {"problem": "the picture is blank" if blank else ""}


def _pdf(path):
    data = path.read_bytes()
    if not data.startswith(b"%PDF-") or b"%%EOF" not in data[-2048:]:
        return {"problem": "not a whole PDF"}
    pages = data.count(b"/Type /Page") - data.count(b"/Type /Pages")
    pages = pages or data.count(b"/Type/Page") - data.count(b"/Type/Pages")
    return {"pages": pages, "problem": "" if pages else "no page"}


def _document(path):
    """DOCX and PPTX are zip files of XML: the text is what stands between the tags."""
    import re

    with zipfile.ZipFile(path) as archive:
        if archive.testzip() is not None:
            return {"problem": "the archive is damaged"}
        names = [
            n for n in archive.namelist() if re.match(r"(word/document|ppt/slides/slide\d+)", n)
        ]
        texts = []
        for name in sorted(names):
            if archive.getinfo(name).file_size > 20_000_000:
                return {"problem": "too large"}
            xml = archive.read(name).decode("utf-8", "replace")
            parts = re.findall(r"<(?:w|a):t(?:\s[^>]*)?>([^<]*)</(?:w|a):t>", xml)
            texts += [part.strip() for part in parts if part.strip()]
    return {"texts": texts[:MOST], "problem": "" if texts else "there is no text in it"}


def _json(path):
    return {"content": json.loads(path.read_text(encoding="utf-8"))}


def _text(path):
    with path.open(encoding="utf-8") as file:
        lines = [line.rstrip() for line in file.read(200_000).split("\n")]
    return {"lines": lines[:MOST]}


READERS = {
    "csv": _csv,
    "xlsx": _xlsx,
    "png": _picture,
    "pdf": _pdf,
    "docx": _document,
    "pptx": _document,
    "json": _json,
    "svg": _text,
}
