from datetime import date


def iso_week_number(day: str) -> int:
    """The ISO 8601 calendar week of a date: 2024-03-01 lies in week 9.

    day: the date as YYYY-MM-DD
    Returns the week's number, from 1 to 53.
    Raises ValueError for what is not a date.
    """
    return date.fromisoformat(day).isocalendar().week
