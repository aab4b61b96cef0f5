def split_bill(total: float, people: int, tip_percent: float = 0) -> float:
    """What each person pays when a bill is split evenly, with a tip in percent on top.

    total: the bill without the tip
    people: how many share it
    tip_percent: the tip in percent of the bill
    Returns each person's share, rounded to cents.
    Raises ValueError for a negative bill or tip, or for fewer than one person.
    """
    if total < 0 or tip_percent < 0:
        raise ValueError("bill and tip are not negative")
    if people < 1:
        raise ValueError("somebody has to pay: at least one person")
    return round(total * (100 + tip_percent) / 100 / people, 2)
