def percentage_of(percent: float, number: float) -> float:
    """What a percentage of a number is: 8 percent of 50 is 4.

    percent: the percentage, 17.5 for 17.5 %
    number: the number it is taken of
    Returns the share of the number.
    """
    return percent * number / 100
