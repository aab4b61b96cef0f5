import math


def least_common_multiple(numbers: list[int]) -> int:
    """The least common multiple of whole numbers.

    numbers: the numbers, at least one
    Returns the smallest positive number that all of them divide; 0 when one of them is 0.
    Raises ValueError when there are none.
    """
    if not numbers:
        raise ValueError("at least one number is needed")
    return math.lcm(*numbers)
