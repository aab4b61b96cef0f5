import csv
import io


def parse_csv(text: str, delimiter: str = ",") -> list[dict]:
    """The rows of a CSV text as objects, one field for each column of the header line.

    text: the CSV text, its first line the column names
    delimiter: what stands between the fields
    Returns the rows; every value is text, a missing one is empty.
    Raises ValueError for a delimiter that is not one character, a repeated column name, or a
    row with more fields than the header.
    """
    if len(delimiter) != 1:
        raise ValueError("a delimiter is one character")
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    if not rows:
        return []
    names = [name.strip() for name in rows[0]]
    if len(set(names)) < len(names):
        raise ValueError("a column name occurs twice")
    table = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) > len(names):
            raise ValueError(f"row {number} has more fields than the header")
        table.append(dict(zip(names, row + [""] * (len(names) - len(row)), strict=True)))
    return table
