def median(numbers: list[float]) -> float:
    """The median, the middle one of numbers in order.

    numbers: the numbers
    Returns the middle number, or the mean of the two in the middle.
    Raises ValueError when there are none.
    """
    if not numbers:
        raise ValueError("there is no median of no numbers")
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return float(ordered[middle])
    return (ordered[middle - 1] + ordered[middle]) / 2
