import math


def greatest_common_divisor(numbers: list[int]) -> int:
    """The greatest common divisor of whole numbers.

    numbers: the numbers, at least one
    Returns the largest number that divides all of them; 0 when all are 0.
    Raises ValueError when there are none.
    """
    if not numbers:
        raise ValueError("at least one number is needed")
    return math.gcd(*numbers)
