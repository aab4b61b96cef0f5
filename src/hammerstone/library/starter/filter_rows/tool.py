def filter_rows(rows: list[dict], column: str, operator: str, value: object) -> list[dict]:
    """The rows of a table whose column compares with a value as asked.

    rows: the rows, objects with a field for each column
    column: the column to look at
    operator: how to compare: =, !=, <, <=, >, >= or contains
    value: the value to compare with
    Returns the rows that match, in order; rows without the column never do.
    Raises ValueError for an unknown operator or values that cannot be compared.
    """
    tests = {
        "=": lambda cell: cell == value,
        "!=": lambda cell: cell != value,
        "<": lambda cell: cell < value,
        "<=": lambda cell: cell <= value,
        ">": lambda cell: cell > value,
        ">=": lambda cell: cell >= value,
        "contains": lambda cell: value in cell,
    }
    if operator not in tests:
        raise ValueError(f"unknown operator {operator!r}; known are {', '.join(tests)}")
    try:
        return [row for row in rows if column in row and tests[operator](row[column])]
    except TypeError:
        raise ValueError(f"{column!r} cannot be compared with {value!r}") from None
