import csv
import io


def to_csv(rows: list[dict]) -> str:
    """Rows of data as CSV text with a header line.

    rows: the rows, objects with a field for each column
    Returns the CSV text; columns are in the order in which they first occur, missing values
    are empty.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
