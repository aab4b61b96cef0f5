def group_totals(rows: list[dict], group_by: str, value: str) -> dict:
    """The total of one column for each group of rows, such as sales by region.

    rows: the rows, objects with a field for each column
    group_by: the column whose values make the groups
    value: the column of numbers to add up
    Returns each group and its total, in the order in which groups first occur.
    Raises ValueError for a column that a row does not have, or a value that is not a number.
    Numbers may be given as text.
    """
    totals = {}
    for row in rows:
        for column in (group_by, value):
            if column not in row:
                raise ValueError(f"there is a row without the column {column!r}")
        try:
            number = float(row[value])
        except (TypeError, ValueError):
            raise ValueError(f"{row[value]!r} is not a number") from None
        key = str(row[group_by])
        totals[key] = totals.get(key, 0.0) + number
    return totals
