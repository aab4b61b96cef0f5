from datetime import date


def age_in_years(birth_date: str, on_date: str) -> int:
    """How old a person is on a date, in full years.

    birth_date: the day of birth as YYYY-MM-DD
    on_date: the day on which the age is asked as YYYY-MM-DD
    Returns the age in full years.
    Raises ValueError for what is not a date, or a birth that is still to come.
    Who was born on 29 February is a year older on 1 March of other years.
    """
    born, today = date.fromisoformat(birth_date), date.fromisoformat(on_date)
    if today < born:
        raise ValueError("that is before the birth")
    had_birthday = (today.month, today.day) >= (born.month, born.day)
    return today.year - born.year - (0 if had_birthday else 1)
