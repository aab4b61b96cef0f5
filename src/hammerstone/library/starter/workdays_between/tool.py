from datetime import date, timedelta


def workdays_between(start: str, end: str) -> int:
    """How many working days, Monday to Friday, there are from one date to another, both counted.

    start: the first day as YYYY-MM-DD
    end: the last day as YYYY-MM-DD
    Returns the number of working days; public holidays are not known.
    Raises ValueError for what is not a date, or when the last day is before the first.
    """
    first, last = date.fromisoformat(start), date.fromisoformat(end)
    if last < first:
        raise ValueError("the last day is before the first")
    days = (last - first).days + 1
    weeks, rest = divmod(days, 7)
    extra = sum((first + timedelta(days=n)).weekday() < 5 for n in range(rest))
    return weeks * 5 + extra
