def sort_rows(rows: list[dict], by: str, descending: bool = False) -> list[dict]:
    """Rows of a table in order of one column.

    rows: the rows, objects with a field for each column
    by: the column to sort by
    descending: whether the largest comes first
    Returns the rows in order; equal ones keep their order, rows without a value come last.
    Raises ValueError when the values cannot be compared, such as text and numbers.
    """
    filled = [row for row in rows if row.get(by) is not None]
    empty = [row for row in rows if row.get(by) is None]
    try:
        return sorted(filled, key=lambda row: row[by], reverse=descending) + empty
    except TypeError:
        raise ValueError(f"the values of {by!r} cannot be compared") from None
