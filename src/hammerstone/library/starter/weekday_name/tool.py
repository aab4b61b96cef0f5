from datetime import date

_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekday_name(day: str) -> str:
    """Which day of the week a date is: 2024-03-01 was a Friday.

    day: the date as YYYY-MM-DD
    Returns the English name of the weekday.
    Raises ValueError for what is not a date.
    """
    return _NAMES[date.fromisoformat(day).weekday()]
