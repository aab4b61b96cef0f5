def standard_deviation(numbers: list[float], sample: bool = True) -> float:
    """The standard deviation, how far numbers spread around their mean.

    numbers: the numbers
    sample: True divides by n - 1 (a sample), False by n (the whole population)
    Returns the standard deviation.
    Raises ValueError for fewer than two numbers of a sample, or none of a population.
    """
    needed = 2 if sample else 1
    if len(numbers) < needed:
        raise ValueError(f"at least {needed} numbers are needed")
    centre = sum(numbers) / len(numbers)
    squares = sum((number - centre) ** 2 for number in numbers)
    return (squares / (len(numbers) - 1 if sample else len(numbers))) ** 0.5
