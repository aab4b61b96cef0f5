def what_percent(part: float, whole: float) -> float:
    """What percentage one number is of another: 4 is 8 percent of 50.

    part: the part
    whole: what counts as 100 percent
    Returns the percentage.
    Raises ValueError when the whole is zero.
    """
    if whole == 0:
        raise ValueError("nothing is a percentage of zero")
    return part / whole * 100
