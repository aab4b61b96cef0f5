"""Files that a person gave: what authors are shown of them, and messy variants to examine with.

Authors see how a file begins, marked as data. The examination also calls candidates with copies
that are empty, have only a header, miss a column or have holes: where candidates part
there, the person's own file would have hidden it.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from hammerstone.core.calls import Call, Program
from hammerstone.core.json_types import JsonObject, is_dict, is_list
from hammerstone.core.seams import Sandbox

FOLDER = "/files/"
SOUND = ("one_row", "reversed", "twice", "one_item")  # copies that any right program can read
_SHOWN_CHARS = 400
_SHOWN_LINES = 5
_VARIED_BYTES = 200_000  # larger files are examined as they are

_BOOK = """
import openpyxl
def head(path):
    book = openpyxl.load_workbook(path, read_only=True)
    return [[sheet.title, [list(map(str, row)) for row in
            sheet.iter_rows(max_row=3, values_only=True)]] for sheet in book.worksheets[:3]]
"""


async def preview(files: Mapping[str, Path], sandbox: Sandbox) -> str:
    """How each file begins, for authors; empty without files."""
    parts = [await _begins(name, path, sandbox) for name, path in files.items()]
    return "\n".join(parts)


async def _begins(name: str, path: Path, sandbox: Sandbox) -> str:
    where = f"{FOLDER}{name}"
    if path.suffix.lower() == ".xlsx":
        call = Call(args=(where,))
        seen = await sandbox.call(Program(_BOOK, "head"), call, files={name: path})
        return (
            f"The workbook {where}, sheets and first rows: {json.dumps(seen.value)[:_SHOWN_CHARS]}"
        )
    with path.open("rb") as file:
        head = file.read(_SHOWN_CHARS * 4)
    if b"\0" in head:
        return f"The file {where} is not text."
    lines = head.decode("utf-8", "replace")[:_SHOWN_CHARS].split("\n")[:_SHOWN_LINES]
    return f"The file {where} begins with this data:\n" + "\n".join(lines).rstrip()


def files_named(source: str, files: Mapping[str, Path]) -> str:
    """How the files that a call names begin, for a person who never saw the messy copies."""
    told: list[str] = []
    for name, path in files.items():
        if f"{FOLDER}{name}" in source and path.suffix.lower() not in (".xlsx", ".png", ".pdf"):
            lines = path.read_text(encoding="utf-8", errors="replace")[:_SHOWN_CHARS].split("\n")
            told.append(f"\n{FOLDER}{name} is:\n" + "\n".join(lines[:_SHOWN_LINES]).rstrip())
    return "".join(told)


def paths_in(call: JsonObject | None, files: Mapping[str, Path]) -> list[tuple[str, str]]:
    """Parameters of a call that name one of the files, with the file's name."""
    named = {f"{FOLDER}{name}": name for name in files}
    return [(k, named[v]) for k, v in (call or {}).items() if isinstance(v, str) and v in named]


def variants(files: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """Messy copies, written into the folder: named after what is wrong with them."""
    made: dict[str, Path] = {}
    for name, path in files.items():
        if path.stat().st_size > _VARIED_BYTES:
            continue
        for what, content in _messy(path).items():
            target = folder / f"{what}_{name}"
            target.write_text(content, encoding="utf-8", newline="")
            made[target.name] = target
    return made


def _messy(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError):
        return {}
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        return _messy_table(text, "\t" if kind == ".tsv" else ",")
    if kind == ".json":
        return _messy_json(text)
    return {"empty": "", "one_line": text.split("\n", 1)[0]}


def _messy_table(text: str, delimiter: str) -> dict[str, str]:
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    if len(rows) < 2:
        return {"empty": ""}
    header, body = rows[0], rows[1:]
    holes = [[("" if n % 2 else cell) for n, cell in enumerate(row, number)]
             for number, row in enumerate(body)]  # fmt: skip
    tables = {
        "header_only": [header],
        "one_row": [header, body[0]],
        "reversed": [header, *reversed(body)],
        "twice": [header, *body, *body],
        "with_holes": [header, *holes],
        "without_last_column": [row[:-1] for row in rows],
    }
    return {"empty": "", **{what: _written(table, delimiter) for what, table in tables.items()}}


def _written(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _messy_json(text: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not is_list(value) or not value:
        return {"empty": "{}"}
    made = {"empty": "[]", "one_item": json.dumps(value[:1]), "twice": json.dumps(value + value)}
    records = [item for item in value if is_dict(item)]
    if len(records) == len(value):
        bare = [dict(list(record.items())[:-1]) for record in records]
        made["without_last_key"] = json.dumps(bare)
    return made
