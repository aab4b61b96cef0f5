from datetime import date, timedelta


def add_days(start: str, days: int) -> str:
    """The date a number of days after another, or before it when the number is negative.

    start: the date to begin with as YYYY-MM-DD
    days: how many days to add
    Returns the new date as YYYY-MM-DD.
    Raises ValueError for what is not a date, or one that the calendar does not have.
    """
    try:
        return (date.fromisoformat(start) + timedelta(days=days)).isoformat()
    except OverflowError:
        raise ValueError("the calendar ends before that date") from None
