def is_leap_year(year: int) -> bool:
    """Whether a year is a leap year in the Gregorian calendar.

    year: the year
    Returns True for a year with a 29 February.
    """
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
