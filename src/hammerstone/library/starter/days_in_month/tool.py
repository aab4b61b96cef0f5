def days_in_month(year: int, month: int) -> int:
    """How many days a month has: February 2024 has 29.

    year: the year
    month: the month, from 1 to 12
    Returns the number of days.
    Raises ValueError for a month outside 1 to 12.
    """
    if not 1 <= month <= 12:
        raise ValueError("a month is a number from 1 to 12")
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
