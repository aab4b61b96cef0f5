from datetime import date


def days_between(start: str, end: str) -> int:
    """How many days lie between two dates: from 2024-03-01 to 2024-03-15 it is 14.

    start: the first date as YYYY-MM-DD
    end: the second date as YYYY-MM-DD
    Returns the number of days, negative when the second date is earlier.
    Raises ValueError for what is not a date.
    """
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
