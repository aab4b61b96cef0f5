def percentage_change(old: float, new: float) -> float:
    """By how many percent a value rose or fell, from an old to a new one.

    old: the value before
    new: the value after
    Returns the change in percent, negative when it fell.
    Raises ValueError when the old value is zero.
    """
    if old == 0:
        raise ValueError("there is no percentage change from zero")
    return (new - old) / abs(old) * 100
